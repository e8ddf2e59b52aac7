"""Searches of long tables keep to limits of time and memory; a kept search never loses what it had found."""

import json
import shutil
import subprocess
import sys
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pytest

from mosaic_sr import InvalidFile, MosaicRegressor, MosaicWarning, SearchConfig, Table
from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.kernel.jit import warm_up
from mosaic_sr.preparation import Problem
from mosaic_sr.progress import silent
from mosaic_sr.proposal import PROPOSERS, GrammarConfig, ProposalConfig
from mosaic_sr.run_folder import RunFolder, identify
from mosaic_sr.search import TIDYING_SHARE, Place, Search
from mosaic_sr.selection import Tidying
from tests.speed import slowness

# The limit is kept to within a second; the other one is for busy machines.
MOST_SECONDS_LATE = 2.0


def long_table(num_rows):
    """A target over many decades without an exact law: fits of all kinds are made to the end."""
    rng = np.random.default_rng(1)
    X = rng.uniform(0.5, 3.0, size=(num_rows, 4))
    y = np.exp(3 * X[:, 0] * X[:, 1] - 2 * X[:, 2]) * X[:, 3] ** 2.3 + X[:, 0]
    return X, y * (1 + 0.02 * rng.normal(size=num_rows))


def test_the_time_limit_holds_on_a_long_table_without_a_law(monkeypatch):
    # The processor's seconds, because others may be at work on the machine.
    monkeypatch.setattr("mosaic_sr.preparation.time_without_compiling", time.process_time)
    warm_up(lambda message: None)
    model = MosaicRegressor(time_limit=2.0, random_state=0, n_jobs=1)
    with pytest.warns(MosaicWarning, match="stopped early"):
        model.fit(*long_table(8000))
    assert (1.0 - TIDYING_SHARE) * 2.0 <= model.outcome_.seconds < 2.0 + MOST_SECONDS_LATE * slowness()


@pytest.fixture
def wavy():
    """A table whose law the quick finders know in their first turn, but not in its first batches."""
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 2))
    return X, 1.5 * X[:, 0] + 0.5 * np.sin(2.0 * X[:, 1])


def test_the_first_turn_of_the_quick_finders_comes_before_the_time_limit(wavy):
    model = MosaicRegressor(time_limit=1e-9, random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MosaicWarning)
        model.fit(*wavy)
    assert model.found_by_ != "start"
    assert "pairs" not in model.stage_seconds_


def test_a_busy_machine_takes_nothing_from_the_first_turn(wavy, monkeypatch):
    # The clock runs a hundred times as fast as the work, as where a hundred others share the processor.
    monkeypatch.setattr("mosaic_sr.preparation.time_without_compiling", lambda: 100.0 * time.process_time())
    monkeypatch.setattr("mosaic_sr.search.LEAST_SHARE", 1e-3)
    model = MosaicRegressor(time_limit=20.0, random_state=0, n_jobs=1).fit(*wavy)
    assert model.law_.is_exact


def test_a_law_is_not_kept_back_for_long_on_a_busy_machine(monkeypatch):
    monkeypatch.setattr("mosaic_sr.preparation.time_without_compiling", lambda: 1e6 * time.process_time())
    model = MosaicRegressor(time_limit=20.0, random_state=0, n_jobs=1)
    with pytest.warns(MosaicWarning, match="stopped early"):
        model.fit(*long_table(200))
    assert model.found_by_ != "start"
    assert not {"waves", "reductions"} & set(model.stage_seconds_)  # the last ones of the first turn


def test_the_first_turn_ends_with_its_share_of_the_processor(monkeypatch):
    monkeypatch.setattr("mosaic_sr.search.FIRST_TURN_SECONDS", 1e-9)
    rng = np.random.default_rng(0)
    model = MosaicRegressor(time_limit=1e-9, random_state=0, n_jobs=1)
    with pytest.warns(MosaicWarning, match="stopped early"):
        model.fit(rng.uniform(size=(60, 2)), rng.normal(size=60))
    assert list(model.stage_seconds_) == ["start"]


FIT = """
import json, resource, sys, time
import numpy as np
from mosaic_sr import MosaicRegressor
X = np.random.default_rng(0).uniform(0.5, 3.0, size=(int(sys.argv[1]), 10))
model = MosaicRegressor(random_state=0, n_jobs=1).fit(X, 2.5 * X[:, 0] * np.sqrt(X[:, 3]) / X[:, 7])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps({"law": model.law_.text(), "seconds": time.process_time(), "gibibytes": peak}))
"""


def fitted(num_rows):
    done = subprocess.run([sys.executable, "-c", FIT, str(num_rows)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow  # searches of a million rows
def test_a_million_rows_take_less_than_twice_the_time_of_ten_thousand():
    few, many = fitted(10_000), fitted(1_000_000)
    assert few["law"] == many["law"] == "2.5*x0*sqrt(x3)/x7"
    assert many["seconds"] < 2.0 * few["seconds"]
    assert many["gibibytes"] < 2.0


@pytest.fixture
def kept(tmp_path):
    """Functions that make a search without an exact law in a folder, and read the snapshot that it leaves there."""
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(50, 2))
    y = np.exp(-X[:, 0]) + X[:, 1] ** 1.7 + 0.01 * np.sin(9e4 * X[:, 0])
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0))
    others = tuple(name for name in PROPOSERS if name != "grammar")
    proposal = ProposalConfig(without=others, grammar=GrammarConfig(num_sketches=30, max_operators=2))
    config = SearchConfig(proposal=proposal, max_evaluations=50)  # spent before the search paths
    place = Place(RunFolder(tmp_path / "run"), identify(table, config, (1,)))

    def search(time_limit=None):
        clock = start_clock(Budget(config.max_evaluations, time_limit))
        return Search(Problem(table, table.names, is_named=True), config, clock, place)

    return search, lambda: place.folder.read_snapshot(place.identity, table, config.refinement)


def run(search, resume=None, show=None):
    return search.run(np.random.default_rng(0), 1, show or silent(), resume)


def test_a_search_that_has_spent_its_candidates_has_finished_and_says_so(kept):
    search, _ = kept
    outcome = run(search())
    assert not outcome.stopped_early
    assert outcome.stopped_by == "the number of candidates"


def test_a_search_that_begins_anew_keeps_what_it_had_found(kept):
    search, read = kept
    whole = run(search())
    before = read()
    assert before.paths is None
    assert before.law is not None
    with pytest.warns(MosaicWarning, match="stopped early"):
        stopped = run(search(time_limit=1e-9), before)  # after its first round, which knows the mean alone
    assert stopped.law.text() == whole.law.text()
    assert [equation.text() for equation in stopped.front] == [equation.text() for equation in whole.front]
    assert any("the search restarted" in note for note in stopped.notes)
    assert read().law.text() == before.law.text()
    again = run(search(), before)
    assert (again.law.text(), again.evaluations) == (whole.law.text(), whole.evaluations)


def no_space(*arguments):
    raise InvalidFile("cannot write law.json: No space left on device")


def test_files_that_cannot_be_renewed_are_noted_and_the_search_ends_with_its_law(kept, monkeypatch):
    search, _ = kept
    whole = run(search())
    monkeypatch.setattr("mosaic_sr.search.SECONDS_BETWEEN_FILES", 0.0)
    monkeypatch.setattr("mosaic_sr.run_folder.write_law", no_space)
    with pytest.warns(MosaicWarning, match=r"could not be written.*No space left"):
        outcome = run(search())
    assert (outcome.law.text(), outcome.evaluations) == (whole.law.text(), whole.evaluations)
    assert not outcome.is_kept
    renewed, written = [note for note in outcome.notes if "No space left" in note]
    assert "could not be written during the search" in renewed
    assert "could not be written at the end" in written


def test_a_folder_replaced_by_a_file_does_not_take_the_law_away(kept, tmp_path, monkeypatch):
    @contextmanager
    def replacing():
        def observe(snapshot):
            if folder.is_dir():
                shutil.rmtree(folder)
                folder.write_text("a file")

        yield observe

    search, _ = kept
    whole, folder = run(search()), tmp_path / "run"
    monkeypatch.setattr("mosaic_sr.search.SECONDS_BETWEEN_FILES", 0.0)
    with pytest.warns(MosaicWarning, match="is a file; give a folder"):
        outcome = run(search(), show=replacing())
    assert outcome.law.text() == whole.law.text()
    assert folder.read_text() == "a file"


def test_a_folder_with_a_link_for_a_law_is_refused_before_the_search(kept, tmp_path):
    search, _ = kept
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "law.json").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidFile, match="symbolic link"):
        run(search())


@contextmanager
def ctrl_c():
    """An observer that sees Ctrl-C as soon as there is a law."""

    def observe(snapshot):
        if snapshot.law is not None:
            raise KeyboardInterrupt

    yield observe


def test_after_ctrl_c_a_law_is_tidied_for_a_moment_whatever_the_time_limit(kept, monkeypatch):
    conclude = Tidying.concluded

    def concluded_when_stopped(tidying, pool, covered_bits, names, is_interrupted):
        while not is_interrupted():
            time.sleep(0.01)
        return conclude(tidying, pool, covered_bits, names, is_interrupted)

    monkeypatch.setattr("mosaic_sr.search.Tidying.concluded", concluded_when_stopped)
    search, _ = kept
    with pytest.warns(MosaicWarning, match="stopped early"):
        outcome = run(search(time_limit=36000.0), show=ctrl_c())
    assert outcome.stopped_by == "Ctrl-C"


def test_a_second_ctrl_c_returns_the_law_untidied(kept, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("mosaic_sr.search.Tidying.finished", interrupted)
    monkeypatch.setattr("mosaic_sr.search.Tidying.concluded", interrupted)
    search, read = kept
    with pytest.warns(MosaicWarning, match="stopped early"):
        outcome = run(search(), show=ctrl_c())
    assert any("constants are not snapped" in note for note in outcome.notes)
    assert read().law is not None


class Alarm(Exception):
    """What a caller raises in the middle of a fit."""


def test_a_search_ended_by_an_exception_is_not_called_finished(kept):
    @contextmanager
    def ringing():
        def observe(snapshot):
            raise Alarm

        yield observe

    search, _ = kept
    ended = search(time_limit=36000.0)
    with pytest.raises(Alarm):
        run(ended, show=ringing())
    assert ended.finished().stopped_early
