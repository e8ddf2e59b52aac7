"""What is said of a law of noisy rows."""

from dataclasses import replace

import pytest
from noisy_outcomes import noisy_outcome

from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.parting import Parting
from mosaic_sr.verdict import (
    chance,
    column_words,
    coverage_words,
    noise_words,
    parting_words,
    percent,
    rival_lines,
    summary,
    verdict,
)


@pytest.mark.parametrize(
    ("probability", "rivals", "expected"),
    [
        (0.999, (), "certain (probability > 0.99)"),
        (0.95, (("2*z", 0.04),), "certain (probability 0.95)"),
        (0.8, (("2*z", 0.1),), "probable (probability 0.80)"),
        (
            0.5,
            (("2*z", 0.3), ("3*z", 0.02)),
            "one of 2 laws that explain the rows about equally well (probability 0.50)",
        ),
        (0.2, (("2*z", 0.15), ("3*z", 0.1)), "noise too high to tell: one of 3 or more laws"),
        (0.5, (), "uncertain: laws that were not tried"),
    ],
)
def test_probabilities_have_words(probability, rivals, expected):
    assert verdict(noisy_outcome(probability, rivals)).startswith(expected)


def test_a_law_without_columns_is_no_law():
    outcome = noisy_outcome(None, (("2*x", 0.2),), text="4.5")
    assert verdict(outcome) == "no law above the noise"
    assert summary(outcome) == "scatter 0.1, no column explains it"


def test_a_clean_table_keeps_its_words():
    outcome = replace(noisy_outcome(None, ()), scatter=None, stopped_early=True)
    assert verdict(outcome) == "not exact"
    assert summary(outcome) == "not exact, stopped early"
    assert noise_words(outcome) == coverage_words(outcome) == ""
    assert rival_lines(replace(outcome, law=replace(outcome.law, ties=(outcome.law,)))) == []


@pytest.mark.parametrize(
    ("scatter", "expected"),
    [
        (Scatter(0.001, 0.02), "about 2 % of each value"),
        (Scatter(0.03, 0.02), "about 2 % of each value, at least 0.03"),
        (Scatter(0.03), "scatter 0.03 (0.5 % of the target's range)"),
        (Scatter(0.001, 0.153, 3), "about 15 % of each value, 3 outliers"),
        (Scatter(0.6, 0.0, 1), "scatter 0.6 (10 % of the target's range), 1 outlier"),
    ],
)
def test_the_noise_is_described(scatter, expected):
    assert noise_words(noisy_outcome(scatter=scatter)) == expected


def test_an_unknown_range_is_left_out():
    assert noise_words(noisy_outcome(target_range=0.0)) == "scatter 0.1"


def test_rivals_have_probability_formula_and_short_constants():
    first, second = rival_lines(noisy_outcome())
    assert first == "rival (probability 0.30): y = 2.5*x^1.2, with 2.500 ± 0.020, 1.200 ± 0.020"
    assert second.startswith("rival (probability 0.05): y = 3*z")
    (long,) = rival_lines(noisy_outcome(rivals=(("1.1 + 2.2*x + 3.3*z + 4.4*w", 0.3),)))
    assert "±" not in long


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((1.0, 1.0, 0.995), ""),
        ((1.0, 0.5, 0.0), "z may matter (probability 0.50); w does not matter"),
        ((1.0, 0.0, 0.0), "z, w do not matter"),
        ((), ""),
    ],
)
def test_columns_are_named_where_there_is_something_to_say(shares, expected):
    assert column_words(noisy_outcome(column_probabilities=shares)) == expected


def test_many_columns_are_not_all_listed():
    outcome = replace(noisy_outcome(), names=tuple(f"c{i}" for i in range(30)), column_probabilities=(0.0,) * 30)
    assert column_words(outcome) == "c0, c1, c2, c3, c4, c5, c6, c7 and 22 others do not matter"


@pytest.mark.parametrize(
    ("value", "where"), [(9.0, "above x = 4 would"), (0.5, "below x = 1 would"), (2.0, "near x = 2 would")]
)
def test_where_more_rows_would_help_is_stated(value, where):
    words = parting_words(noisy_outcome(parting=Parting(0, value, 1.0, 4.0, 3.21)))
    assert words.startswith(f"more rows {where} tell law and closest rival apart")
    assert words.endswith(f"at x = {value:.3g} they differ by 3.2 times the scatter")


def test_a_certain_law_needs_no_more_rows_and_equal_ones_need_less_noise():
    parting = Parting(0, 2.0, 1.0, 4.0, 3.0)
    assert parting_words(noisy_outcome(0.96, parting=parting)) == ""
    assert "only less noise" in parting_words(noisy_outcome(parting=replace(parting, ratio=0.1)))


def test_the_course_of_the_search_is_summarised():
    assert coverage_words(noisy_outcome()) == "all 4,500 forms of up to 18 bits were tried"
    assert coverage_words(noisy_outcome(num_forms=0)) == ""
    assert coverage_words(noisy_outcome(listed_over=("x - z", "y"))) == (
        "4,500 forms of up to 18 bits were tried, first those over x - z, y, which the rows ask for"
    )
    assert summary(noisy_outcome(scatter=Scatter(0.0, 0.05))) == "scatter 5 %, nothing left to explain"
    assert summary(noisy_outcome(is_decided=False, stopped_early=True)) == "scatter 0.1, stopped early"
    assert summary(noisy_outcome(is_decided=False)) == "scatter 0.1, not decided"


def test_numbers_read_as_people_write_them():
    assert (chance(0.9999), chance(0.001), chance(0.5)) == ("> 0.99", "< 0.01", "0.50")
    assert (percent(0.0485), percent(0.123), percent(2.0)) == ("4.9 %", "12 %", "200 %")
