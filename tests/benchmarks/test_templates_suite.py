"""The suite of problems that carry their template, and the switch that hands it to a method."""

import argparse

import numpy as np
import pytest

from benchmarks.methods import Settings, refuse_own_settings
from benchmarks.run_options import add_run_options, tasks_of
from benchmarks.suites import load
from mosaic_sr import InvalidSettings
from mosaic_sr.template_form import parse_template


def tasks_for(*words):
    parser = argparse.ArgumentParser()
    add_run_options(parser)
    return list(tasks_of(parser.parse_args([*words, "--out", "lines.jsonl"])))


@pytest.mark.parametrize("problem", load("templates").problems, ids=lambda problem: problem.id)
def test_every_problem_has_a_template_over_its_columns_with_unknowns(problem):
    template = parse_template(problem.template, problem.names)
    assert template.unknowns
    assert template.columns == tuple(range(problem.num_columns))
    assert np.all(np.isfinite(problem.draw(0).train.target))


def test_there_are_twenty_problems_or_more():
    assert len(load("templates").problems) >= 20


def test_the_switch_is_a_setting_of_the_lines_and_the_template_is_not():
    (task, *_) = tasks_for("--suite", "templates", "--templates")
    assert task.settings.to_json() == {"time_limit": 10.0, "templates": True}
    assert "templates" not in tasks_for("--suite", "templates")[0].settings.to_json()


def test_problems_without_a_template_and_methods_that_take_none_are_refused():
    with pytest.raises(InvalidSettings, match="has none"):
        tasks_for("--suite", "nguyen", "--templates")
    with pytest.raises(InvalidSettings, match="takes no templates"):
        refuse_own_settings("gplearn", Settings(templates=True))
