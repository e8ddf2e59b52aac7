"""The verifier against a table of pairs: equal laws in disguise, and laws that differ however close they are."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from benchmarks.verify import Verdict, verify_srbench, verify_strict
from benchmarks.verify.arithmetic import DOUBLES, MANY_DIGITS, to_number
from benchmarks.verify.formula import allowance, are_close, to_formula
from benchmarks.verify.least_norm import least_norm_solution
from benchmarks.verify.points import stretch, widen
from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import OPERATORS

PAIRS = json.loads((Path(__file__).parent / "verify_pairs.json").read_text())
NAMES = [f"x{column}" for column in range(7)]
NUM_ROWS = 500
SIGNS = {"positive": [1.0], "negative": [-1.0], "both": [-1.0, 1.0]}


def draw_column(rng, low, high, sign, spacing):
    if spacing == "log":
        magnitudes = 10 ** rng.uniform(np.log10(low), np.log10(high), NUM_ROWS)
    elif spacing == "uniform":
        magnitudes = rng.uniform(low, high, NUM_ROWS)
    else:
        magnitudes = rng.integers(low, high, NUM_ROWS).astype(float)
    return magnitudes * rng.choice(SIGNS[sign], NUM_ROWS)


def draw_sample(ranges, seed):
    rng = np.random.default_rng(seed)
    return np.array([draw_column(rng, *each) for each in ranges])


def judge(pair, seed=0):
    sample = draw_sample(pair["ranges"], seed)
    return verify_strict(pair["truth"], pair["prediction"], NAMES[: len(sample)], sample)


@pytest.fixture(scope="module")
def verdicts():
    return [judge(pair, seed) for seed, pair in enumerate(PAIRS)]


def positive_sample(num_columns=2, seed=0):
    return draw_sample([[0.1, 10, "positive", "log"]] * num_columns, seed)


def test_the_table_holds_many_distinct_pairs_of_every_kind():
    keys = {(pair["truth"], pair["prediction"], json.dumps(pair["ranges"])) for pair in PAIRS}
    assert len(keys) == len(PAIRS) >= 300
    assert min(Counter(pair["equal"] for pair in PAIRS).values()) >= 100
    assert min(Counter((pair["kind"], pair["equal"]) for pair in PAIRS).values()) >= 3


def test_no_different_law_is_accepted(verdicts):
    wrong = [pair for pair, verdict in zip(PAIRS, verdicts, strict=True) if verdict.accepted and not pair["equal"]]
    assert wrong == []


def test_nearly_all_equal_laws_are_accepted(verdicts):
    answers = [verdict.accepted for pair, verdict in zip(PAIRS, verdicts, strict=True) if pair["equal"]]
    assert np.mean(answers) >= 0.97


def test_a_verdict_says_how_it_was_reached():
    assert judge(PAIRS[0]).how
    sample = positive_sample()
    assert "differ" in verify_strict("x0+0.125", "x0+0.126", NAMES[:2], sample).how
    assert "1e-20" in verify_strict("x0*x1", "x0*x1+1e-20", NAMES[:2], sample).how
    assert "cannot be read" in verify_strict("x0", "x0+(", NAMES[:2], sample).how
    assert "open" in verify_strict("x0", "x0+_", NAMES[:2], sample).how


def test_a_verdict_does_not_depend_on_chance():
    pair = next(pair for pair in PAIRS if pair["kind"] == "simpler law")
    assert judge(pair) == judge(pair)


def test_time_runs_out_as_a_rejection():
    verdict = verify_strict("sin(2*x0)", "1.99999*sin(x0)*cos(x0)", NAMES[:2], positive_sample(), timeout=0.0)
    assert verdict == Verdict(False, "no verdict within the time limit")
    assert not verdict.is_decided


def test_signs_of_the_sample_decide_about_absolute_values():
    sample = positive_sample()
    assert verify_strict("abs(x0)*x1", "x0*x1", NAMES[:2], sample).accepted
    assert verify_strict("abs(x0)*x1", "-x0*x1", NAMES[:2], sample * [[-1.0], [1.0]]).accepted
    sample[0, 7] *= -1
    assert not verify_strict("abs(x0)*x1", "x0*x1", NAMES[:2], sample).accepted


def test_a_prediction_must_have_a_value_on_every_row():
    sample = positive_sample()
    sample[0, 3] *= -1
    assert not verify_strict("x0*x1", "sqrt(x0)^2*x1", NAMES[:2], sample).accepted


def test_names_of_columns_are_free():
    sample = positive_sample()
    assert verify_strict("2*N*`my col`", "`my col`*N*2.00001", ["N", "my col"], sample).accepted


def test_four_significant_digits_decide_about_constants():
    assert allowance(9.80665) == pytest.approx(5e-4)
    assert allowance(6.6743e-11) == pytest.approx(5e-15)
    assert are_close(9.80665, 9.807)
    assert are_close(2.5, 2.4995)
    assert not are_close(9.80665, 9.81)
    assert not are_close(0.0, 1e-12)


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_every_operator_has_the_same_value_in_both_arithmetics(operator):
    operands = "x0, x1" if operator.arity == 2 else "x0"
    formula = to_formula(parse(f"{operator.name}({operands})", NAMES[:2]))
    for point in ([0.3, 0.7], [-0.6, 2.0], [0.9, -3.0], [-0.2, -1.5]):
        with np.errstate(all="ignore"):
            expected = formula.evaluate([], [np.float64(value) for value in point], DOUBLES)
        value = formula.evaluate([], [to_number(value) for value in point], MANY_DIGITS)
        assert float(value) == pytest.approx(float(expected), rel=1e-14, nan_ok=True)


@pytest.mark.parametrize(
    "text", ["log(x0)", "1/x0", "x0^-2", "exp(1e30+x0)", "sin(1e30+x0)", "(1e30+x0)^1e30", "sqrt(x0-1)^2"]
)
def test_what_has_no_value_or_is_out_of_reach_is_undefined(text):
    formula = to_formula(parse(text, NAMES[:1]))
    value = formula.evaluate([to_number(each) for each in formula.constants], [to_number(0.0)], MANY_DIGITS)
    assert value != value


def test_numbers_are_folded_into_one_constant():
    assert to_formula(parse("x0*(2*pi/4)", NAMES[:1])).constants == [np.pi / 2]
    assert len(to_formula(parse("x0+exp(1e10)", NAMES[:1])).constants) == 1


def test_least_norm_solution_is_that_of_numpy():
    rng = np.random.default_rng(5)
    matrix = rng.normal(size=(9, 4))
    matrix[:, 3] = 2 * matrix[:, 0] - matrix[:, 1]
    target = rng.normal(size=9)
    columns = [[to_number(value) for value in column] for column in matrix.T.tolist()]
    solution = least_norm_solution(columns, [to_number(value) for value in target.tolist()], to_number(1e-9))
    np.testing.assert_allclose([float(value) for value in solution], np.linalg.lstsq(matrix, target)[0], rtol=1e-9)


def test_least_norm_solution_knows_columns_of_any_size():
    sizes = [to_number(10.0) ** exponent for exponent in (0, -140, 120)]
    columns = [[size * (row == place) for row in range(3)] for place, size in enumerate(sizes)]
    solution = least_norm_solution(columns, [to_number(1.0)] * 3, to_number(1e-9))
    assert [float(weight * size) for weight, size in zip(solution, sizes, strict=True)] == pytest.approx([1.0] * 3)


def test_widened_points_keep_their_signs():
    rng = np.random.default_rng(6)
    sample = draw_sample([[0.1, 10, "both", "log"]] * 3, 1)
    wide = widen(sample, 1.0, rng)
    assert np.array_equal(np.sign(wide), np.sign(sample))
    assert np.abs(np.log10(wide / sample)).max() <= 1.0
    near, far = stretch(sample, 1, rng)
    assert np.array_equal(near[[0, 2]], far[[0, 2]])
    assert np.array_equal(np.sign(near), np.sign(far))
    assert np.abs(far[1]).max() > 1e30


SRBENCH_SOLUTIONS = [
    ("x0*x1", "x1*x0"),
    ("x0*x1", "3.7*x0*x1"),
    ("x0*x1", "x0*x1+2.5"),
    ("sin(x0)^2+x1", "x1-cos(x0)^2"),
    ("x0/sqrt(1-1.11265005605362e-17*x1^2)", "x0"),
    ("1/(exp(2.39959613196403e-11*x0/(pi*x1))-1)", "x0"),
    ("9.80665*x0", "9.8071*x0"),
    ("2*pi*x0", "6.283185*x0"),
    ("x0", "x0/(1-1)"),
]
SRBENCH_FAILURES = [
    ("x0*x1", "x0+x1"),
    ("x0+x1", "2*x0+2*x1+0.01*x0*x1"),
    ("4.427e-12*x0^2", "4.427e-12*x0^2"),
    ("sin(x0)", "x0-x0^3/6"),
    ("x0", "0.00001*x0"),
    ("x0", "x0+("),
]


@pytest.mark.parametrize(("truth", "prediction"), SRBENCH_SOLUTIONS)
def test_the_published_protocol_accepts(truth, prediction):
    assert verify_srbench(truth, prediction, NAMES[:2], r2=1.0)


@pytest.mark.parametrize(("truth", "prediction"), SRBENCH_FAILURES)
def test_the_published_protocol_rejects(truth, prediction):
    assert not verify_srbench(truth, prediction, NAMES[:2], r2=1.0)


def test_the_published_protocol_asks_for_half_of_the_variance():
    assert not verify_srbench("x0", "x0", NAMES[:1], r2=0.5)
    assert not verify_srbench("x0", "x0", NAMES[:1], r2=float("nan"))


def test_the_published_protocol_is_stopped_at_its_limit():
    assert not verify_srbench("x0", "x0*sin(x1)", NAMES[:2], r2=1.0, timeout=1e-6)
    assert verify_srbench("x0", "x0", NAMES[:2], r2=1.0)
