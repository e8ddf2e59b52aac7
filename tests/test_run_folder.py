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
from mosaic_sr.state_file import from_bytes, to_bytes

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


def read(folder, identity):
    return folder.read_snapshot(identity, make_table(), CONFIG.refinement)


def test_a_snapshot_comes_back_to_the_last_bit(folder, snapshot):
    again = read(folder, identify(make_table(), CONFIG, SEEDS))
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
    (again,) = read(folder, identity).law.ties
    assert (again.expression, again.names, again.constant_names) == (tie.expression, tie.names, tie.constant_names)


def test_a_snapshot_without_paths_comes_back(folder, snapshot):
    identity = identify(make_table(), CONFIG, SEEDS)
    folder.write_state(identity, replace(snapshot, paths=None), is_finished=False)
    again = read(folder, identity)
    assert again.paths is None
    assert again.law.text() == snapshot.law.text()
    assert [law.text() for law in again.front.equations] == [law.text() for law in snapshot.front.equations]


def test_a_state_without_a_snapshot_says_whose_it_is(tmp_path):
    identity = identify(make_table(), CONFIG, SEEDS)
    folder = RunFolder(tmp_path)
    assert not folder.has_state
    folder.write_state(identity, None, is_finished=False)
    assert read(folder, identity) is None
    assert folder.read_kept().identity.seeds == SEEDS


def test_budgets_may_change_between_runs(folder):
    more = identify(make_table(), replace(CONFIG, max_evaluations=9), SEEDS)
    assert read(folder, more) is not None


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
        (
            lambda: identify(make_table(seed=9), CONFIG, (9, 9, 9, 9)),
            "with another seed;",
        ),  # divides the rows otherwise
        (lambda: identify(make_table(1.8), replace(CONFIG, search_rows=30), SEEDS), "another table, other settings;"),
        (lambda: replace(identify(make_table(), CONFIG, SEEDS), release="0.0"), "another release"),
    ],
)
def test_the_state_of_another_search_is_refused(identity, message, folder):
    with pytest.raises(InvalidFile, match=message):
        read(folder, identity())


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 nothing", b"\x93NUMPY", b"some text"])
def test_a_damaged_state_is_refused(content, folder):
    (folder.path / "state.npz").write_bytes(content)
    with pytest.raises(InvalidFile, match="damaged"):
        folder.read_kept()


def test_a_state_cut_short_is_refused(folder):
    file = folder.path / "state.npz"
    file.write_bytes(file.read_bytes()[:-2000])
    with pytest.raises(InvalidFile, match="damaged"):
        read(folder, identify(make_table(), CONFIG, SEEDS))


def test_a_pickle_in_a_state_is_never_loaded(folder):
    np.savez(folder.path / "state.npz", allow_pickle=True, head=np.array([{"format": "x"}], dtype=object))
    with pytest.raises(InvalidFile, match="damaged"):
        folder.read_kept()


def with_head(folder, change):
    """The folder with a change of the text of its state."""
    text, arrays = from_bytes((folder.path / "state.npz").read_bytes())
    head = json.loads(text)
    change(head)
    (folder.path / "state.npz").write_bytes(to_bytes(json.dumps(head), arrays))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda head: head.update(format="mosaic-sr state 0"), "another release"),
        (lambda head: head.pop("snapshot"), "fields"),
        (lambda head: head.update(is_finished=0), "'is_finished'"),
        (lambda head: head.update(snapshot=[]), "'snapshot'"),
        (lambda head: head["identity"].update(seeds=[-1]), "'seeds'"),
        (lambda head: head["identity"].update(seeds="1234"), "'seeds'"),
        (lambda head: head["identity"].update(table=5), "'table'"),
        (lambda head: head["snapshot"].update(round=-1), "'round'"),
        (lambda head: head["snapshot"].update(assigned=2**70), "'assigned'"),
        (lambda head: head["snapshot"].update(refined=True), "'refined'"),
        (lambda head: head["snapshot"].update(stage=None), "'stage'"),
        (lambda head: head["snapshot"].update(notes=[1]), "'notes'"),
        (lambda head: head["snapshot"].update(front={}), "fields"),
        (lambda head: head["snapshot"].update(decoded_operators=0.5), "'decoded_operators'"),
        (lambda head: head["snapshot"]["front"].update(is_wide=None), "'is_wide'"),
        (lambda head: head["snapshot"]["law"].update(expression="c"), "c"),
    ],
)
def test_a_state_with_a_forged_field_is_refused(change, message, folder):
    with_head(folder, change)
    with pytest.raises(InvalidFile, match=message):
        read(folder, identify(make_table(), CONFIG, SEEDS))


def test_a_state_of_larger_programs_than_the_settings_allow_is_refused(folder):
    refinement = replace(CONFIG.refinement, path=replace(CONFIG.refinement.path, maxsize=50))
    with pytest.raises(InvalidFile, match=r"damaged.*expected"):
        folder.read_snapshot(identify(make_table(), CONFIG, SEEDS), make_table(), refinement)
