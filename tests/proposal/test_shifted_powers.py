"""Quotients of pure powers, found from few rows and written in shifted columns."""

import numpy as np
import pytest
from questions import first_law, question_of

from mosaic_sr.proposal.sums.pure_powers import make_pure_bases
from mosaic_sr.proposal.sums.quotients import propose_quotients
from mosaic_sr.proposal.sums.shifted_powers import QuotientRows, write_shifted_law
from mosaic_sr.table import Rows
from tests.proposal.tables import columns_between, values_of

QUOTIENTS = propose_quotients

LAWS = (
    ("((x0 - 3)^4 + (x1 - 3)^3 - x1)/((x1 - 2)^4 + 10)", 2, 100),
    ("2.5 + 1.7*(2*x0 + 3*x1^2)/(4*x2^3 + 5*x3^4)", 4, 200),
    ("(x0^5 + 2*x1^3 + x2)/(x3^4 + 0.7*x4^2 + 3)", 5, 50),
    ("(x0 + 2*x1^2)/(x2^5 + x3 + (x4 - 2)^4 + 7*x5^2)", 6, 200),
)


@pytest.mark.parametrize(("text", "columns", "rows"), LAWS)
@pytest.mark.parametrize("reach", [1.0, 50.0])
def test_quotients_of_pure_powers_are_found_near_and_far(text, columns, rows, reach):
    table = columns_between([-reach] * columns, [reach] * columns, num_rows=rows)
    law, num_sketches = first_law(QUOTIENTS, question_of(table.T, values_of(text, table)))
    assert law is not None
    assert num_sketches <= 4


def test_a_shift_and_an_offset_leave_few_numbers():
    columns = columns_between([-3.0, -3.0], [3.0, 3.0], num_rows=300)
    rows = Rows(columns, values_of("4.2 + 1.5*(x0 - 2)^4/(x1^3 + 40)", columns), np.empty(0))
    basis = next(each.basis for each in make_pure_bases((0, 1), rows) if each.basis.num_terms == 2 * 4)
    above, below = np.zeros(9), np.zeros(9)
    places = {(column, len(basis.factors(term))): 1 + term for term in range(8) for column in basis.columns(term)}
    above[[0, places[0, 1], places[0, 2], places[0, 3], places[0, 4]]] = 1.5 * np.array([16.0, -32.0, 24.0, -8.0, 1.0])
    above[[0, places[1, 3]]] += 4.2 * np.array([40.0, 1.0])
    below[[0, places[1, 3]]] = 40.0, 1.0
    numbers = QuotientRows(rows.columns, rows.target, np.ones(300), (0, 0), 0)
    law = write_shifted_law(basis, (above, below), numbers, 1e-12)
    # 4.2, 1.5, 2 and 40, beside the fourth power.
    np.testing.assert_allclose(sorted(law.constants), [1.5, 2.0, 4.0, 4.2, 40.0], rtol=1e-12)
