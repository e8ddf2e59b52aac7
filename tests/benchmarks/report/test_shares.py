"""Our rates as shares of what the rows allow, and by the size of the truth."""

from benchmarks.report.shares import share_sections
from tests.benchmarks.result_lines import cells_of, make_result


def test_what_rows_cannot_tell_is_left_out_and_columns_are_held_against_rounding_alone():
    marked = {"strict": False, "unidentifiable": "too small to see"}
    results = [
        *(make_result(name, "srsd-easy-dummy", strict=name == "a") for name in "ab"),
        make_result("c", "srsd-easy-dummy", **marked),
        *(make_result(name, "srsd-easy-float32") for name in "ab"),
        make_result("c", "srsd-easy-float32", **marked),
    ]
    _, section = share_sections(results)
    assert cells_of(section.text, "srsd-easy-dummy") == ["3", "2", "33.3", "50.0", "50.0"]
    assert cells_of(section.text, "srsd-easy-float32") == ["3", "2", "66.7", "100.0", "–"]


def test_the_best_published_rates_need_not_be_of_one_method():
    section = share_sections([make_result("feynman-i.6.20", "srsd-hard-dummy")])[0]
    assert cells_of(section.text, "srsd-hard-dummy") == ["31.2 (MOSAIC-SR)", "**100.0**", "53.2 (SBP-GP)", "**100.0**"]


def test_generated_laws_are_grouped_by_operators():
    results = [
        make_result("a", "generated", true_operators=4, seconds=1.0),
        make_result("b", "generated", true_operators=8, seconds=3.0),
        make_result("c", "generated", true_operators=8, strict=False, seconds=30.0),
    ]
    text = share_sections(results)[-1].text
    assert "| generated | at most 4 | 1 | 100.0 | 100.0 | 1.0 |" in text
    assert "| generated | 5 to 8 | 2 | 50.0 | 50.0 | 3.0 |" in text


def test_lines_of_others_have_no_shares():
    assert share_sections([make_result(method="operon")]) == []
