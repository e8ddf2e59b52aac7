"""Phases: what is written has the values of its arguments times their frequencies, but for a number."""

import numpy as np
import pytest

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.text import to_text
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.waves.phases import (
    WIDE_ARGUMENTS,
    Piece,
    make_bowl,
    make_pieces,
    make_plane,
    make_saddle,
    make_single,
)
from tests.proposal.tables import columns_between, question_about

COLUMNS = columns_between([1.0, -2.0], [5.0, 3.0])
ONE, TWO = (Piece(variable(place), values) for place, values in enumerate(COLUMNS))


@pytest.mark.parametrize(
    ("phase", "frequencies"),
    [
        (make_single(ONE), (3.0,)),
        (make_plane(ONE, TWO), (3.0, -2.0)),
        (make_bowl(ONE), (3.0, -0.7)),
        (make_saddle(ONE, TWO), (3.0, -2.0, 0.4)),
    ],
)
def test_a_phase_is_written_as_it_is_computed(phase, frequencies):
    expression, lacking = phase.write(frequencies)
    written = evaluate_expression(expression, COLUMNS) + lacking
    assert written == pytest.approx(np.array(frequencies) @ phase.arguments, abs=1e-10)


def test_sums_and_exponentials_are_those_of_the_users_columns():
    columns = columns_between([0.0, 0.0], [3.0, 3000.0])
    context = question_about(columns, columns[0] + columns[1])
    table, scaled = context.table, context.rows.columns
    in_user_units = scaled * 2.0 ** np.array(table.column_exponents)[:, None]
    total, exponential, *_ = make_pieces((("exp(a)",), ("a + b",)), (0, 1), table, scaled, NAMES)
    assert total.values == pytest.approx(np.exp(in_user_units[0]))
    ratio = exponential.values / (in_user_units[0] + in_user_units[1])
    assert np.ptp(ratio) < 1e-12 * np.mean(ratio)


def test_forms_that_the_operators_forbid_or_the_values_do_not_admit_are_left_out():
    context = question_about(COLUMNS, COLUMNS[0])
    found = make_pieces(
        (("a", "exp(a)", "sqrt(a)"),), (0, 1), context.table, context.rows.columns, ("add", "mul", "sqrt")
    )
    assert [to_text(piece.expression, ("x", "z")) for piece in found] == ["x", "z", "sqrt(x)"]


def test_no_two_of_the_many_arguments_are_the_same():
    columns = columns_between([1.0] * 4, [2.0] * 4)
    table = question_about(columns, columns.sum(axis=0)).table
    for arity, forms in enumerate(WIDE_ARGUMENTS, start=1):
        alone = (*((),) * (arity - 1), forms)
        values = [piece.values for piece in make_pieces(alone, range(arity), table, table.columns, NAMES)]
        assert len(values) == len(forms)
        assert len(np.unique(np.round(values, 9), axis=0)) == len(forms) if forms else not values
