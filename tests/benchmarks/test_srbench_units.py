"""The units of the Feynman problems: each formula is homogeneous in them, and a run hands them to the method."""

import pytest

from benchmarks.methods import Settings, refuse_own_settings
from benchmarks.run import Task, draw_rows
from benchmarks.suites import load
from mosaic_sr import InvalidSettings
from mosaic_sr.units.dimensions import Dimensions
from mosaic_sr.units.stated import state_units

PROBLEMS = load("srbench-feynman").problems


def test_every_formula_is_homogeneous_with_pure_constants_but_one():
    without = [problem.id for problem in PROBLEMS if not problem.units]
    assert without == ["feynman_I_43_16"]
    for problem in PROBLEMS:
        if problem.units:
            units = state_units(list(problem.units[:-1]), problem.units[-1], problem.names, "y")
            dimensions = Dimensions.of_columns(units, range(problem.num_columns), True)
            assert dimensions.may_be(problem.truth), problem.id


def test_a_method_is_told_the_units_only_where_the_run_says_so():
    told = draw_rows(Task(PROBLEMS[3], "mosaic", 0, Settings(units="dimensionless", rows=10, noise=0.1)))
    assert told.train.units == PROBLEMS[3].units
    assert draw_rows(Task(PROBLEMS[3], "mosaic", 0, Settings())).train.units == ()
    assert Settings(units="free").to_json()["units"] == "free"
    assert "units" not in Settings().to_json()
    with pytest.raises(InvalidSettings, match="is not told units"):
        refuse_own_settings("linear", Settings(units="free"))
