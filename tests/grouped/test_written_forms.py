"""Laws of groups are written as a scientist writes them, also where the search has reached its time limit."""

import numpy as np
import pytest
from tables_of_groups import form, grouped_rows

from mosaic_sr.expressions.text import to_text
from mosaic_sr.grouped.joint import JointForms
from mosaic_sr.limits import Limits

VMAX = np.array([2.0, 3.0, 4.0, 5.0])
ROWS = grouped_rows(lambda x, group: VMAX[group] * x / (1.7 + x), (30, 30, 30, 30), noise=0.01)


def never():
    return False


@pytest.fixture(scope="module")
def joint():
    found = JointForms(ROWS, Limits(), lambda one: np.ones(one.num_parameters, dtype=np.bool_), False)
    found.consider([form("1.1763/(0.5882*1.0203 + 1.0201/x)"), form("2.0203 - -0.2504*x")], never)
    found.write(never)
    return found


def test_the_form_is_the_one_that_a_person_writes(joint):
    best = joint.distinct()[0]
    assert best.form.is_written
    expression, own = best.form.read(best.shares.mean)
    values = expression.constants
    assert len(values) == 2, expression
    np.testing.assert_allclose(sorted(values), [1.7, np.mean(VMAX)], rtol=0.05)
    assert [bool(best.shares.is_shared[place]) for place in own] == [value < 2.0 for value in values]


def test_no_form_has_a_minus_before_a_negative_number(joint):
    for one in joint.distinct():
        assert "- -" not in to_text(one.form.read(one.shares.mean)[0], ["x"])
