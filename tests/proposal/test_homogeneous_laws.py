"""Sums and products of parts whose units fit are read off noisy rows."""

import numpy as np
import pytest

from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.homogeneous import find_homogeneous_laws
from mosaic_sr.proposal.homogeneous.parts import Parts
from mosaic_sr.proposal.homogeneous.products import choose_rows
from mosaic_sr.proposal.regression.best_subsets import find_best_subsets
from mosaic_sr.relevance import relevance
from mosaic_sr.table import Table
from mosaic_sr.units.dimensionless import reduce_by_units
from mosaic_sr.units.stated import state_units

# Units of the columns and of the target, and the law.
LAWS = {
    "mean": (["kg", "kg", "m", "m"], "m", lambda m, n, x, y: (m * x + n * y) / (m + n)),
    "root of a sum": (["J", "J", "kg", "m/s"], "m/s", lambda e, u, m, v: np.sqrt(2.0 * (e + u) / m + v**2)),
    "below the line": (["ohm", "ohm", "V"], "A", lambda r, s, u: u * (1.0 / r + 1.0 / s)),
    "parallel": (["ohm", "ohm"], "ohm", lambda r, s: 1.0 / (1.0 / r + 1.0 / s)),
    "interference": (["W/m^2", "W/m^2", "rad"], "W/m^2", lambda i, j, d: i + j + 2.0 * np.sqrt(i * j) * np.cos(d)),
    "orbit": (["m", "1", "rad"], "m", lambda a, e, t: a * (1.0 - e**2) / (1.0 + e * np.cos(t))),
    "Planck": (["J*s", "1/s", "J"], "J", lambda h, f, e: h * f / (np.exp(h * f / e) - 1.0)),
    "decay": (["mol", "1/s", "s"], "mol", lambda n, k, t: n * np.exp(-k * t)),
    "distance": (["m", "m", "m", "m"], "m", lambda x, y, z, w: np.sqrt((x - y) ** 2 + (z - w) ** 2)),
    "resonance": (["W", "Hz", "Hz", "Hz"], "W", lambda a, f, g, w: a * w**2 / ((f - g) ** 2 + w**2)),
    "beats": (["V", "V", "rad", "rad"], "V", lambda a, b, s, t: a + b * np.cos(s - t)),
    "triangle": (
        ["m", "m", "rad", "rad"], "m", lambda a, b, s, t: np.sqrt(a**2 + b**2 - 2.0 * a * b * np.cos(s - t)),
    ),
}  # fmt: skip


def read(units, of_target, values, columns):
    names = [f"x{place}" for place in range(len(units))]
    table = Table.from_arrays(columns.T, values, rng=np.random.default_rng(0), names=names)
    return table, reduce_by_units(state_units(units, of_target, names, "y"), range(len(units)))


def found_laws(units, of_target, values, columns):
    table, reduced = read(units, of_target, values, columns)
    scores = relevance(table.training)
    context = ProposalContext(table, table.some_training(200), scores, NAMES, lambda table: None)
    laws = [law for found in find_homogeneous_laws(reduced, context) for law in found]
    stored = np.ldexp(columns, -np.array(table.column_exponents)[:, None])
    return [np.ldexp(evaluate_expression(law, stored), table.target_exponent) for law in laws]


@pytest.mark.parametrize("name", LAWS)
def test_a_law_of_homogeneous_parts_is_found_in_noise(name):
    units, of_target, law = LAWS[name]
    rng = np.random.default_rng(1)
    columns = rng.uniform(1.0, 4.0, size=(len(units), 1000))
    columns[[place for place, unit in enumerate(units) if unit == "1"]] *= 0.2
    target = law(*columns)
    noise = 0.01 * np.sqrt(np.mean(np.square(target)))
    found = found_laws(units, of_target, target + noise * rng.normal(size=1000), columns)
    # Its few numbers are fitted to 200 rows, so that it is far nearer to the law than the noise.
    assert min(np.sqrt(np.mean(np.square(values - target))) for values in found) < 0.25 * noise


def test_the_best_subset_is_the_one_that_was_drawn():
    rng = np.random.default_rng(0)
    regressors = rng.normal(size=(40, 200))
    regressors[7] = regressors[3]  # a twin never stands beside the other
    target = 2.0 * regressors[3] - 0.5 * regressors[20] + 0.1 * regressors[33] + 0.01 * rng.normal(size=200)
    found = find_best_subsets(regressors, target, np.full(40, 5.0), 4, 5)
    assert min(found, key=lambda places: found[places]) in ((3, 20, 33), (7, 20, 33))
    assert not any({3, 7} <= set(places) for places in found)
    assert {len(places) for places in found} == {1, 2, 3, 4}


def test_columns_in_other_multiples_are_brought_to_one_unit():
    columns = np.random.default_rng(2).uniform(1.0, 4.0, size=(3, 50))
    table, reduced = read(["m", "km", "cm"], "m", columns[0] + columns[1], columns)
    (like,) = Parts(reduced, table, table.training).like_columns
    assert {place: like[place] / like[0] for place in like} == pytest.approx({0: 1.0, 1: 1000.0, 2: 0.01})


def test_a_factor_that_powers_make_of_another_is_left_out():
    columns = np.random.default_rng(3).uniform(1.0, 4.0, size=(2, 400))
    # 1 + a/b is (a + b)/b, and 1 + b/a the same sum over a.
    table, reduced = read(["m", "m"], "m", columns[0] * (1.0 + columns[1] / columns[0]) ** 2, columns)
    rows = table.some_training(300)
    chosen = choose_rows(Parts(reduced, table, rows), rows, NAMES)
    values = [evaluate_expression(factor.expression, rows.columns) for factor in chosen.factors]
    of_sum = [own for own in values if any(np.ptp(own * each / columns_sum(rows)) < 1e-9 for each in powers(rows))]
    assert len(of_sum) == 1


def columns_sum(rows):
    return rows.columns[0] + rows.columns[1]


def powers(rows):
    return [np.ones(rows.num_rows), rows.columns[0], rows.columns[1]]


@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_numbers_near_simple_ones_become_simple_also_where_columns_are_scaled(unit):
    rng = np.random.default_rng(4)
    x, y = unit * rng.uniform(1.0, 3.0, size=(2, 600))
    target = np.sqrt(x**2 + 2.0 * y**2)
    noisy = target + 0.1 * unit * rng.normal(size=600)
    found = found_laws(["m", "m"], "m", noisy, np.array([x, y]))
    assert min(np.max(np.abs(values / target - 1.0)) for values in found) < 1e-12
