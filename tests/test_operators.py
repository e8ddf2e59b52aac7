"""The operator table: its inverses, what is read off its rows, and what happens when rows are added to it."""

import ast
import itertools
import subprocess
import sys

import numpy as np
import pytest
from scratch_table import ROOT, make_scratch, run_in_scratch

from mosaic_sr.expressions.rows import TREES, numpy_value
from mosaic_sr.operators import ARITY, CODES, NAMES, NUM_CODES, OPERATORS, operator_named
from mosaic_sr.proposal.views import steps

# Arguments on several branches of every operator, and the other operand of binary ones.
ARGUMENTS = np.array([-5.2, -2.9, -0.93, -0.4, 0.3, 0.85, 2.4, 4.1, 6.7])
OTHER = 1.7


def value_of(name, **operands):
    with np.errstate(all="ignore"):
        return numpy_value(TREES[name], operands)


def branches_of(inverse, v, other=None, num_periods=2):
    """The operand on every branch, some periods away on either side included: (branches, values)."""
    turns = range(-num_periods, num_periods + 1) if inverse.period else (0,)
    operands = {"v": v, "a": other, "b": other}
    with np.errstate(all="ignore"):
        found = [numpy_value(ast.parse(branch, mode="eval").body, operands) for branch in inverse.branches]
    return np.array([branch + turn * inverse.period for branch, turn in itertools.product(found, turns)])


@pytest.mark.parametrize("operator", OPERATORS, ids=NAMES)
def test_every_branch_of_an_inverse_leads_back_to_the_value(operator):
    for place, inverse in enumerate(operator.inverses):
        operands = {"a": ARGUMENTS, "b": OTHER} if place == 0 else {"a": OTHER, "b": ARGUMENTS}
        values = value_of(operator.name, **operands)
        values = values[np.isfinite(values)]
        assert np.all((values >= inverse.low) & (values <= inverse.high))
        for branch in branches_of(inverse, values, OTHER):
            again = value_of(operator.name, **({"a": branch, "b": OTHER} if place == 0 else {"a": OTHER, "b": branch}))
            np.testing.assert_allclose(again, values, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("operator", OPERATORS, ids=NAMES)
def test_every_argument_is_on_a_branch(operator):
    arguments = ARGUMENTS[np.isfinite(value_of(operator.name, a=ARGUMENTS, b=OTHER))]
    for inverse in operator.inverses[:1]:
        found = branches_of(inverse, value_of(operator.name, a=arguments, b=OTHER), OTHER)
        assert np.all(np.min(np.abs(found - arguments), axis=0) < 1e-7)


@pytest.mark.parametrize("name", steps.INVERTIBLE)
def test_views_undo_an_operator_on_its_branches_the_nearest_to_zero_first(name):
    inverse = operator_named(name).inverses[0]
    values = np.linspace(max(inverse.low, -3.0), min(inverse.high, 3.0), 12)[1:-1]
    found = [step.undo(values) for step in steps.find_branches(name)]
    assert all(np.allclose(value_of(name, a=own), values, rtol=1e-9) for own in found)
    nearest = steps.find_branches(name)[0].undo(values)
    assert all(np.median(np.abs(nearest)) <= np.median(np.abs(own)) + 1e-12 for own in found)


def test_codes_above_the_table_are_kept_for_users():
    assert max(CODES[name] for name in NAMES) == NUM_CODES - 1
    assert set(ARITY[NUM_CODES:].tolist()) == {1, 2}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return make_scratch(tmp_path_factory.mktemp("scratch"))


def test_rows_that_are_added_are_known_everywhere(scratch):
    checks = run_in_scratch(scratch, "tests/walk_scratch.py").split()
    assert len(checks) == 12


def test_a_row_that_the_generator_cannot_compile_is_refused_by_name():
    source = "from mosaic_sr.kernel.generate import value_statements; value_statements('j0(a)', {'a'})"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stderr.splitlines()[-1].startswith("ValueError: the generator does not know j0")


# Minutes, because the copy's machine code is compiled.
@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_tests_pass_and_searches_find_laws_when_rows_are_added(scratch):
    walks = (
        "kernel",
        "expressions",
        "refinement/test_edits.py",
        "proposal/test_vocabulary.py",
        "proposal/test_prior.py",
    )
    files = [
        str(ROOT / "tests" / each) for each in (*walks, "benchmarks/test_verify.py", "selection/test_description.py")
    ]
    run_in_scratch(scratch, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, compiled=True, timeout=3000)
    assert len(run_in_scratch(scratch, "tests/fit_scratch.py", compiled=True, timeout=3000).splitlines()) == 4
