"""`make soak` counts what it tries and names what it loses."""

import sys

from tests.soak import Tally, soak

# A process that fails at trial 3 and dies at trial 5.
FAILING = """
import os, sys
for number in range(int(sys.argv[1]), int(sys.argv[2])):
    print(number, end=" ", flush=True)
    if number == 3:
        raise ValueError("a raw error")
    if number == 5:
        os._exit(9)
    print("broken", "refused", flush=True)
"""


def test_a_trial_that_fails_or_dies_is_lost_and_the_others_go_on():
    tally = Tally()
    tally.add("tables", [sys.executable, "-c", FAILING], 0, 8)
    assert tally.tried == {("tables", "broken", "refused"): 6}
    first, second = tally.lost
    assert first.startswith("tables 3: exit code 1")
    assert "a raw error" in first
    assert second.startswith("tables 5: exit code 9")
    assert "tried 8, lost 2" in tally.lines()


def test_some_broken_tables_are_refused_or_give_a_law(tmp_path):
    tally = soak(["tables"], seconds=250.0, count=6, seed=0, folder=tmp_path)
    assert tally.lost == []
    assert tally.tried.total() == 6
