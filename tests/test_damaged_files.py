"""Damaged and forged states and law files are read or refused by name: no raw error, no dead process."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from damages import LAW_DAMAGES, STATE_DAMAGES, bomb

SCRIPT = Path(__file__).with_name("damaged_files.py")
PER_PROCESS = 500


def outcomes(folder, first, last):
    """How often files with these numbers were read and refused, of each kind of damage."""
    command = [sys.executable, str(SCRIPT), str(folder), str(first), str(last)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line.split() for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"number {lines[-1] if lines else first}: {done.returncode}\n{done.stderr}"
    return Counter((damage, outcome) for _, damage, outcome in lines)


def test_some_damaged_files_are_read_or_refused_by_name(tmp_path):
    counts = outcomes(tmp_path, 0, 60)
    assert counts.total() == 60
    assert {damage for damage, _ in counts} == {each.__name__ for each in (*STATE_DAMAGES, *LAW_DAMAGES, bomb)}
    assert {outcome for _, outcome in counts} == {"read", "refused"}
    assert counts["bomb", "refused"]


@pytest.mark.slow  # searches go on from a thousand forged states
def test_ten_thousand_damaged_files_are_read_or_refused_by_name(tmp_path):
    counts = Counter()
    for first in range(0, 10_000, PER_PROCESS):
        counts += outcomes(tmp_path, first, first + PER_PROCESS)
    assert counts.total() == 10_000
    for (damage, outcome), count in sorted(counts.items()):
        print(f"{damage:22} {outcome:8} {count:5}")
