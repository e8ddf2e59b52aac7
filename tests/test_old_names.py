"""Names that finders had in earlier versions."""

import json

import numpy as np
import pytest

from benchmarks.results_file import from_line, to_line
from mosaic_sr import MosaicRegressor
from mosaic_sr.law_file import read_law
from mosaic_sr.old_names import OLD_FINDERS
from mosaic_sr.proposal import PROPOSERS
from tests.benchmarks.result_lines import make_result

X = np.linspace(1.0, 2.0, 30)[:, None]


def test_an_earlier_name_stands_for_a_present_proposer_and_for_no_other():
    assert set(OLD_FINDERS.values()) <= set(PROPOSERS)
    assert not set(OLD_FINDERS) & set(PROPOSERS)


@pytest.mark.parametrize(("old", "present"), OLD_FINDERS.items())
def test_an_earlier_name_switches_the_present_finder_off_with_a_note(old, present):
    others = [name for name in PROPOSERS if name not in ("guesses", present)]
    model = MosaicRegressor(without=[*others, old], max_evaluations=50, random_state=0).fit(X, 2.0 * X[:, 0])
    assert present not in model.stage_seconds_
    assert any(repr(old) in note and repr(present) in note for note in model.notes_)


@pytest.mark.parametrize(("old", "present"), OLD_FINDERS.items())
def test_law_files_and_results_of_an_earlier_version_tell_the_present_name(old, present, tmp_path):
    model = MosaicRegressor(guesses=["2*x0"], without=PROPOSERS[1:], max_evaluations=50, random_state=0)
    file = tmp_path / "law.json"
    model.fit(X, 2.0 * X[:, 0]).save(file)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"found_by": old}))
    outcome, _ = read_law(file)
    assert outcome.law.found_by == present
    assert any(repr(old) in note for note in outcome.notes)
    assert from_line(to_line(make_result("a", found_by=old))).found_by == present
