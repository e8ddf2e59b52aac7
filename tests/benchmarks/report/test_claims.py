"""Claims of exactness: false on noise whatever the equation, on clean rows where another law was to be told apart."""

import pytest

from benchmarks.report.claims import claim_sections, is_false_claim
from tests.benchmarks.result_lines import cells_of, make_result

NOISY = {"time_limit": 10.0, "noise": 0.01}


@pytest.mark.parametrize(
    ("changes", "is_false"),
    [
        ({"claims_exact": True}, False),
        ({"claims_exact": True, "settings": NOISY}, True),
        ({"claims_exact": True, "strict": False}, True),
        ({"claims_exact": True, "strict": False, "unidentifiable": "equals x0"}, False),
        ({"claims_exact": False, "strict": False}, False),
        ({"claims_exact": None, "settings": NOISY}, False),
    ],
)
def test_a_claim_is_false_when_the_rows_do_not_bear_it(changes, is_false):
    assert is_false_claim(make_result(**changes)) == is_false


def test_claims_are_counted_and_the_false_ones_named():
    results = [
        make_result("a", claims_exact=True, settings=NOISY),
        make_result("b", claims_exact=False, settings=NOISY),
        make_result("a", claims_exact=True),
        make_result("b", claims_exact=True, strict=False, unidentifiable="equals x0"),
        make_result("c", claims_exact=True, strict=False, settings={"time_limit": 10.0, "preset": "paper"}),
        make_result("a", method="operon"),
    ]
    (section,) = claim_sections(results)
    assert cells_of(section.text, "mosaic (10 s, noise 0.01)") == ["nguyen", "2", "1", "1", "0", "a"]
    assert cells_of(section.text, "mosaic (10 s) | nguyen") == ["nguyen", "2", "2", "0", "1", "–"]
    assert cells_of(section.text, "mosaic (10 s) | all, clean")[1:] == [
        "2",
        "2",
        "0",
        "1",
        "0.0% of 1 claims on attainable problems",
    ]
    assert "preset" not in section.text
    assert "operon" not in section.text
    assert section.commands == (
        "python -m benchmarks run --suite nguyen --problem a,b --method mosaic --seeds 0 --noise 0.01 --time-limit 10"
        " --out FILE.jsonl",
    )


def test_without_claims_there_is_nothing_to_say():
    assert claim_sections([make_result()]) == []
