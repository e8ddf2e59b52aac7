"""Exactness: agreement to the noise floor of the data, which is read from the data, on enough rows to prove a law."""

import numpy as np
import pytest

from mosaic_sr.equation import in_table_units
from mosaic_sr.exactness import agrees, is_short, noise_floor, num_free, pays_for
from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.text import parse
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, fit_constants
from mosaic_sr.table import Table

NAMES = ["x", "y"]


def table_of(truth, low=0.5, high=3.0, rounded=lambda values: values, noise=0.0, num_rows=300):
    rng = np.random.default_rng(0)
    columns = rounded(np.exp(rng.uniform(np.log(low), np.log(high), size=(2, num_rows))))
    target = evaluate_expression(parse(truth, NAMES), columns)
    target = target + noise * rng.normal(size=num_rows) * np.std(target)
    return Table.from_arrays(columns.T, rounded(target), rng=rng, names=NAMES)


def float32(values):
    return values.astype(np.float32).astype(np.float64)


def judged(law, table):
    return agrees(parse(law, NAMES), table.validation, table)


TRUTHS = [
    "0.5*x*y^2",
    "sin(x)/y",
    "1/(exp(0.3*x/y) - 1)",
    "x/sqrt(1 - 0.01*y^2)",
    "5000*(1 - cos(0.01*x))",
    "exp(-x^2)*y^1.7",
    "x^9/y^7",
    "(x - 1.5)*(y - 1.5)",
    "sin(50*x*y)",
]


@pytest.mark.parametrize("truth", TRUTHS)
def test_the_truth_agrees(truth):
    assert judged(truth, table_of(truth))


@pytest.mark.parametrize("truth", TRUTHS)
def test_the_truth_is_exact_on_float32_data(truth):
    assert judged(truth, table_of(truth, rounded=float32))


def test_a_law_that_cancels_its_own_digits_agrees():
    # The rounding of x^2 + y^2 is a millionth of the small difference, whatever the slopes say.
    law = "1000000*(sqrt(x^2 + 0.000001*y^2) - x)"
    assert judged(law, table_of("y^2/(sqrt(x^2 + 0.000001*y^2) + x)"))


def is_exact_in_users_units(law, table):
    return agrees(in_table_units(parse(law, ["x"]), table), table.validation, table)


def test_small_targets_may_carry_the_rounding_of_large_parts():
    x = np.random.default_rng(1).uniform(-1.0, 1.0, 200)
    table = Table.from_arrays(x[:, None], (np.exp(x) - np.exp(-x)) / 2.0, rng=np.random.default_rng(0), names=["x"])
    assert is_exact_in_users_units("sinh(x)", table)
    assert not is_exact_in_users_units("sinh(x) + 1e-15", table)


def test_targets_over_decades_are_read_to_their_own_digits():
    x = np.exp(np.random.default_rng(1).uniform(np.log(1e-12), 0.0, 200))
    table = Table.from_arrays(x[:, None], np.sinh(x), rng=np.random.default_rng(0), names=["x"])
    assert is_exact_in_users_units("sinh(x)", table)
    assert not is_exact_in_users_units("sinh(x) + 3e-17", table)


@pytest.mark.parametrize(
    ("truth", "close"),
    [
        ("x/sqrt(1 - 1e-6*y^2)", "x"),
        ("x/sqrt(1 - 1e-6*y^2)", "x + 0.0000005*x*y^2"),
        ("1/(exp(0.001*x/y) - 1)", "1000*y/x - 0.5"),
        ("sin(x)*y", "y*(x - x^3/6 + x*x^4/120)"),
        ("x*y", "1.0000001*x*y"),
        ("x*y", "x*y + 1e-9"),
    ],
)
def test_a_law_that_is_merely_close_is_not(truth, close):
    assert not judged(close, table_of(truth))


def test_noise_is_never_exact():
    for level in (1e-6, 1e-3, 1e-1):
        assert not judged("0.5*x*y^2", table_of("0.5*x*y^2", noise=level))


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_coarse_decimals_prove_nothing(decimals):
    table = table_of("0.5*x*y^2", rounded=lambda values: np.round(values, decimals))
    assert not judged("0.5*x*y^2", table)


def test_decimals_that_the_law_meets_to_the_last_digit_prove_it():
    X = np.round(np.random.default_rng(0).uniform(0.5, 3.0, size=(100, 2)), 2)
    table = Table.from_arrays(X, 0.5 * X[:, 0] + X[:, 1], rng=np.random.default_rng(0), names=NAMES)
    assert judged("0.5*x + y", table)
    assert not judged("0.5*x + 1.00001*y", table)


def test_a_value_outside_the_domain_is_not_exact():
    assert not judged("log(x - 1)", table_of("x*y"))


def test_the_floor_follows_the_rounding_of_the_columns():
    fine, coarse = (table_of("x^9*y", rounded=rounding) for rounding in (np.asarray, float32))
    floors = [noise_floor(parse("x^9*y", NAMES), table.validation, table) for table in (fine, coarse)]
    assert np.median(floors[1] / floors[0]) > 1e6


def polynomial(num_constants):
    """A polynomial: c + c*x + c*x^2 + ..., as flexible as it has constants."""
    form = constant(1.0)
    for power in range(1, num_constants):
        form = apply("add", form, apply("mul", constant(0.1), apply("pow", variable(0), constant(float(power)))))
    return form


@pytest.mark.parametrize("num_rows", [5, 8, 12])
def test_as_many_constants_as_rows_prove_nothing(num_rows):
    x = np.linspace(0.5, 3.0, num_rows)
    target = np.random.default_rng(1).normal(size=num_rows)
    table = Table.from_arrays(x[:, None], target, rng=np.random.default_rng(0))
    codes = polynomial(num_rows)
    powers = np.vander(x, num_rows, increasing=True)
    constants = codes.constants.copy()
    weights = np.linalg.solve(powers, target)
    constants[0], constants[1::2] = weights[0], weights[1:]
    law = codes.with_constants(constants)
    assert np.allclose(evaluate_expression(law, table.validation.columns), table.validation.target, rtol=1e-6)
    assert not agrees(law, table.validation, table)


def test_five_rows_prove_a_law_with_fewer_parts():
    x = np.array([0.31, 0.72, 1.13, 2.04, 2.95])
    table = Table.from_arrays(x[:, None], 3.2 * x + 0.7, rng=np.random.default_rng(0))
    assert agrees(parse("3.2*x0 + 0.7", ["x0"]), table.validation, table)


def noisy_tables(count):
    """Tables of random laws with 1 % of noise, few rows and many."""
    rng = np.random.default_rng(7)
    while count:
        truth = generate(rng, GeneratorConfig(num_variables=2, max_operators=4))
        num_rows = int(rng.choice([5, 8, 15, 30, 60, 200]))
        columns = rng.uniform(0.5, 3.0, size=(2, num_rows))
        target = evaluate_expression(truth, columns)
        if np.all(np.isfinite(target)) and np.ptp(target) > 1e-6 and np.max(np.abs(target)) < 1e6:
            noise = 0.01 * np.std(target) * rng.normal(size=num_rows)
            yield truth, Table.from_arrays(columns.T, target + noise, rng=rng)
            count -= 1


def test_no_flexible_form_is_exact_on_a_hundred_noisy_tables():
    claims = []
    for truth, table in noisy_tables(100):
        flexible = [polynomial(min(table.num_rows, 8)), apply("add", truth, polynomial(min(table.num_rows - 1, 6)))]
        for form in flexible:
            fit = fit_constants(form, table.training, FitConfig(starts=1, max_iterations=20))
            if agrees(fit.expression, table.validation, table):
                claims.append(fit.expression)
    assert not claims


@pytest.mark.parametrize(
    ("law", "single", "expected"),
    [
        ("3.1*x/(1 + 0.27*y)", True, True),
        ("3.1*exp(-0.1253702806*x - 0.0025334640*x^2)/x^0.99974", True, False),
        ("3.1*exp(-0.1253702806*x - 0.0025334640*x^2)/x^0.99974", False, True),
        ("x^3 + 2*x*y + 5*y^2 - 7*x + 4", True, True),
    ],
)
def test_many_odd_numbers_prove_little_on_coarse_data(law, single, expected):
    table = table_of(law, rounded=float32 if single else lambda values: values)
    expression = parse(law, NAMES)
    assert pays_for(num_free(expression, is_short), expression, table) is expected


def test_a_law_that_strays_only_at_the_end_of_its_range_is_not_exact():
    # Over most rows 1/(1 - 0.01 x) and its exponential differ by less than the last digit of a float32.
    rng = np.random.default_rng(0)
    columns = float32(np.exp(rng.uniform(np.log(1e-6), np.log(0.02), size=(2, 2000))))
    columns[0, :12] = float32(np.linspace(0.2, 0.3, 12))
    target = float32(columns[1] / (1.0 - 0.01 * columns[0]))
    table = Table.from_arrays(columns.T, target, rng=rng, names=NAMES)
    meets = np.abs(evaluate_expression(parse("y*exp(0.01*x)", NAMES), columns) / target - 1.0) < 2e-7
    assert 0.98 < np.mean(meets) < 1.0
    truth, other = (in_table_units(parse(law, NAMES), table) for law in ("y/(1 - 0.01*x)", "y*exp(0.01*x)"))
    assert agrees(truth, table.training, table)
    assert not agrees(other, table.training, table)


def test_a_power_of_one_makes_no_law_more_uncertain():
    table = table_of("x*y", low=1e-20, high=1e-10)
    rows = table.validation
    plain, raised = (noise_floor(parse(law, NAMES), rows, table) for law in ("x*y", "x*y^1"))
    assert np.all(raised <= 2.0 * plain)
