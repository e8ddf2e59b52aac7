"""Chains: every step is undone, every chain gives the target back, and rounding is carried along."""

import math

import numpy as np
import pytest

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.views.chains import INNER, OUTER, SHIFTS, choose_chain_rows, undo_chain, undo_chains
from mosaic_sr.proposal.views.links import LINKS
from mosaic_sr.proposal.views.steps import wrap
from mosaic_sr.table.resolution import Resolution, Rounding

DOUBLE = Resolution(Rounding.FLOAT64)
TARGET = np.linspace(0.15, 0.85, 60)


@pytest.mark.parametrize("step", [*SHIFTS, *OUTER], ids=lambda step: str(step.outer))
def test_every_step_is_undone(step):
    values = np.linspace(max(step.low, 0.1) + 1e-3, min(step.high, 3.0) - 1e-3, 20)
    law = wrap(variable(0), step.outer)
    np.testing.assert_allclose(evaluate_expression(law, step.undo(values)[None, :]), values, rtol=1e-9)


def test_every_chain_gives_the_target_back():
    found = undo_chains(TARGET, DOUBLE, NAMES)
    assert len(found.chains) > 300
    for chain, target in zip(found.chains[::7], found.targets[::7], strict=True):
        linked = undo_chain(chain, TARGET, DOUBLE)
        assert linked is not None
        np.testing.assert_array_equal(linked.target, target)
        np.testing.assert_allclose(evaluate_expression(linked.law(variable(0)), target[None, :]), TARGET, rtol=1e-6)


def test_chains_are_short_first_and_distinct_up_to_scale_and_offset():
    found = undo_chains(TARGET, DOUBLE, NAMES)
    lengths = [sum(len(step.outer) for step in chain) for chain in found.chains]
    assert lengths == sorted(lengths)
    centred = found.targets - found.targets.mean(axis=1)[:, None]
    directions = centred / np.linalg.norm(centred, axis=1)[:, None]
    assert np.max(np.abs(directions @ directions.T) - np.eye(len(directions))) < 1.0 - 1e-17
    single = set(LINKS)
    outers = [tuple(name for step in reversed(chain) for name in step.outer) for chain in found.beyond_links.chains]
    assert not single & set(outers)


def test_chains_need_their_operators():
    found = undo_chains(TARGET, DOUBLE, ("add", "mul", "exp"))
    names = {name for chain in found.chains for step in chain for name in step.outer if isinstance(name, str)}
    assert names == {"exp", "sq", "cube"}


def test_a_target_in_another_branch_is_reached():
    inner = np.linspace(0.6, 1.4, 60)
    found = undo_chains(np.sin(np.exp(inner)), DOUBLE, NAMES)
    chosen = [
        np.max(np.abs(target - inner))
        for chain, target in zip(found.chains, found.targets, strict=True)
        if [step.outer for step in chain] == [(), ("sin",), (), ("exp",)]
    ]
    assert min(chosen) < 1e-12


def test_the_floor_grows_where_the_inverse_is_steep():
    target = np.tanh(np.tanh(np.linspace(0.0, 4.0, 50)[1:]))
    step = next(step for step in INNER if step.outer == ("tanh",))
    linked = undo_chain((step, step), target, DOUBLE)
    assert linked is not None
    assert linked.floor[-1] > 1e3 * linked.floor[0]
    assert np.all(np.abs(linked.target - np.linspace(0.0, 4.0, 50)[1:]) <= 3 * linked.floor)


def test_rows_beyond_reach_have_an_infinite_floor():
    target = np.arctan(np.exp(np.linspace(-3.0, 18.0, 50))).astype(np.float32).astype(np.float64)
    assert target[-1] > math.pi / 2
    by_name = {step.outer: step for step in INNER if step.outer}
    linked = undo_chain((by_name[("atan",)], by_name[("exp",)]), target, Resolution(Rounding.FLOAT32))
    assert linked is not None
    assert np.all(np.isfinite(linked.target))
    assert math.isinf(linked.floor[-1])
    assert undo_chain((by_name[("atan",)], by_name[("log",)]), 2.0 + TARGET, DOUBLE) is None


def test_rows_at_the_ends_of_links_are_set_aside_and_outer_ones_come_last():
    target = np.concatenate([[0.0, 1.0, -1.0, 2.0], np.linspace(0.1, 0.9, 30), [-2.0]])
    found = choose_chain_rows(target, 0)
    assert sorted(found.tolist()) == [3, *range(4, 35)]
    assert {3, 34} <= set(found[-8:].tolist())
    assert not len(choose_chain_rows(np.zeros(4), 0))
