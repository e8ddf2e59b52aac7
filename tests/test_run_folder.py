"""The state of a search comes back to the last bit, and only for the search that it belongs to."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mosaic_sr import InvalidFile, SearchConfig, Table, discover
from mosaic_sr.proposal import PROPOSERS, PriorConfig, ProposalConfig
from mosaic_sr.proposal.grammar import GrammarConfig
from mosaic_sr.proposal.prior.session import SHIPPED
from mosaic_sr.run_folder import RunFolder, identify

SEEDS = (1, 2, 3, 4)
# Others may find the law before refinement begins.
OTHERS = tuple(name for name in PROPOSERS if name != "grammar")
CONFIG = SearchConfig(proposal=ProposalConfig(without=OTHERS, grammar=GrammarConfig(num_sketches=30, max_operators=2)))


def make_table(exponent=1.7, seed=0):
    X = np.random.default_rng(0).uniform(0.5, 3.0, size=(50, 2))
    return Table.from_arrays(
        X,
        np.exp(-X[:, 0]) + X[:, 1] ** exponent + 0.01 * np.sin(9e4 * X[:, 0]),
        rng=np.random.default_rng(seed),
        names=["a", "b c"],
    )


@pytest.fixture(scope="module")
def snapshot():
    search = discover(make_table(), CONFIG, np.random.default_rng(0))
    return next(snapshot for snapshot in search if snapshot.paths is not None)


@pytest.fixture
def folder(tmp_path, snapshot):
    folder = RunFolder(tmp_path / "new" / "run")
    folder.write_state(identify(make_table(), CONFIG, SEEDS), snapshot, is_finished=False)
    return folder


def test_a_snapshot_comes_back_to_the_last_bit(folder, snapshot):
    again = folder.read_snapshot(identify(make_table(), CONFIG, SEEDS), make_table())
    for kept, own in zip(again.front.equations, snapshot.front.equations, strict=True):
        assert (kept.expression, kept.training, kept.validation) == (own.expression, own.training, own.validation)
    assert again.candidates.equations == snapshot.candidates.equations
    assert again.law.text() == snapshot.law.text()
    assert (again.round, again.evaluations, again.stage) == (snapshot.round, snapshot.evaluations, snapshot.stage)
    for kept, own in zip(again.paths.paths, snapshot.paths.paths, strict=True):
        np.testing.assert_array_equal(kept.seen, own.seen)
        np.testing.assert_array_equal(kept.state, own.state)
        np.testing.assert_array_equal(kept.bests.constants, own.bests.constants)


def test_ties_and_the_names_of_constants_come_back(folder, snapshot):
    tie = replace(snapshot.front.equations[0], constant_names=("Planck constant",))
    law = replace(snapshot.law, ties=(tie,))
    identity = identify(make_table(), CONFIG, SEEDS)
    folder.write_state(identity, replace(snapshot, law=law), is_finished=False)
    (again,) = folder.read_snapshot(identity, make_table()).law.ties
    assert (again.expression, again.names, again.constant_names) == (tie.expression, tie.names, tie.constant_names)


def test_a_snapshot_without_paths_comes_back(folder, snapshot):
    identity = identify(make_table(), CONFIG, SEEDS)
    folder.write_state(identity, replace(snapshot, paths=None), is_finished=False)
    again = folder.read_snapshot(identity, make_table())
    assert again.paths is None
    assert again.law.text() == snapshot.law.text()
    assert [law.text() for law in again.front.equations] == [law.text() for law in snapshot.front.equations]


def test_a_state_without_a_snapshot_says_whose_it_is(tmp_path):
    identity = identify(make_table(), CONFIG, SEEDS)
    folder = RunFolder(tmp_path)
    assert not folder.has_state
    folder.write_state(identity, None, is_finished=False)
    assert folder.read_snapshot(identity, make_table()) is None
    assert folder.read_seeds() == SEEDS


def test_budgets_may_change_between_runs(folder):
    more = identify(make_table(), replace(CONFIG, max_evaluations=9), SEEDS)
    assert folder.read_snapshot(more, make_table()) is not None


def with_weights(folder):
    return replace(CONFIG, proposal=replace(CONFIG.proposal, prior=PriorConfig(weights=folder)))


def test_weights_are_known_by_what_they_are_and_not_by_their_place(tmp_path):
    moved = Path(shutil.copytree(SHIPPED, tmp_path / "moved"))
    assert identify(make_table(), with_weights(moved), SEEDS) == identify(make_table(), CONFIG, SEEDS)
    card = json.loads((moved / "card.json").read_text())
    (moved / "card.json").write_text(json.dumps(card | {"sha256": {"step.onnx": "0"}}))
    assert identify(make_table(), with_weights(moved), SEEDS) != identify(make_table(), CONFIG, SEEDS)


@pytest.mark.parametrize(
    ("identity", "message"),
    [
        (lambda: identify(make_table(1.8), CONFIG, SEEDS), "another table"),
        (lambda: identify(make_table(), replace(CONFIG, search_rows=30), SEEDS), "other settings"),
        (lambda: identify(make_table(), CONFIG, (9, 9, 9, 9)), "another seed"),
        (lambda: identify(make_table(seed=9), CONFIG, (9, 9, 9, 9)), "of another seed;"),  # divides the rows otherwise
        (lambda: identify(make_table(1.8), replace(CONFIG, search_rows=30), SEEDS), "another table, other settings;"),
        (lambda: replace(identify(make_table(), CONFIG, SEEDS), release="0.0"), "another release"),
    ],
)
def test_the_state_of_another_search_is_refused(identity, message, folder):
    with pytest.raises(InvalidFile, match=message):
        folder.read_snapshot(identity(), make_table())


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"\x93NUMPY", b"some text"])
def test_a_damaged_state_is_refused(content, folder):
    (folder.path / "state.npz").write_bytes(content)
    with pytest.raises(InvalidFile, match="damaged"):
        folder.read_seeds()


def test_a_state_cut_short_is_refused(folder):
    file = folder.path / "state.npz"
    file.write_bytes(file.read_bytes()[:-2000])
    with pytest.raises(InvalidFile, match="damaged"):
        folder.read_snapshot(identify(make_table(), CONFIG, SEEDS), make_table())


def test_a_pickle_in_a_state_is_never_loaded(folder):
    np.savez(folder.path / "state.npz", allow_pickle=True, head=np.array([{"format": "x"}], dtype=object))
    with pytest.raises(InvalidFile, match="damaged"):
        folder.read_seeds()
