"""The stages joined: the same seed gives the same law, for any number of workers, interrupted or not."""

import itertools
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from mosaic_sr import SearchConfig, Table, discover, pipeline
from mosaic_sr.budget import never
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.events import Batch
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.text import parse
from mosaic_sr.front import Front
from mosaic_sr.proposal import PROPOSERS, QUICK, ProposalConfig
from mosaic_sr.proposal.enumeration import EnumerationConfig
from mosaic_sr.proposal.grammar import GrammarConfig
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.selection import tidy
from mosaic_sr.sketch import Sketch
from mosaic_sr.workers import Threads


def table_of(function, num_rows=60, seed=0):
    X = np.random.default_rng(seed).uniform(0.5, 3.0, size=(num_rows, 3))
    return Table.from_arrays(X, function(*X.T), rng=np.random.default_rng(seed))


def without_law(x, y, z):
    """A target that no search finds the end of."""
    return np.exp(-x * y) + z**1.7 + 0.01 * np.sin(9e4 * x * y)


def first_snapshots(table, config, count, n_jobs=1):
    search = discover(table, config, np.random.default_rng(4), n_jobs)
    return [snapshot for snapshot, _ in zip(search, range(count), strict=False)]


# The grammar sampler alone, so that the number of rounds before refinement is known.
FINDERS = tuple(name for name in PROPOSERS if name not in ("guesses", "grammar"))
SMALL = SearchConfig(
    proposal=ProposalConfig(without=FINDERS, grammar=GrammarConfig(num_sketches=60, max_operators=3)),
)


def test_a_guess_of_the_right_form_is_the_law_at_once():
    table = table_of(lambda x, y, z: 2.5 * np.sin(1.3 * x) / y)
    guess = parse("1*sin(1*x0)/x1", table.names)
    config = SearchConfig(proposal=ProposalConfig(guesses=(guess,)))
    snapshots = list(discover(table, config, np.random.default_rng(0)))
    assert [snapshot.stage for snapshot in snapshots] == ["start", "guesses"]
    law = snapshots[-1].law
    assert law.is_exact
    assert law.found_by == "guesses"
    # Two signs cancel in an odd function, and the fit may find either pair.
    np.testing.assert_allclose(sorted(np.abs(law.expression.constants)), [1.3, 2.5], rtol=1e-9)


def test_a_small_law_is_found_and_ends_the_search():
    table = table_of(lambda x, y, z: 0.5 * x * y**2)
    *_, last = discover(table, SearchConfig(), np.random.default_rng(0))
    assert last.law.is_exact
    assert tidy(last.law, table, SearchConfig().selection, table.names).text() == "0.5*x0*x1^2"


def test_a_law_in_more_numbers_than_the_rows_can_prove_ends_no_search():
    table = table_of(lambda x, y, z: np.round(1000.0 * np.exp(0.9 * x), 4), num_rows=200)
    guess = parse(" + ".join(f"1*x0^{power}" for power in range(9)), table.names)
    config = replace(SMALL, proposal=replace(SMALL.proposal, guesses=(guess,)))
    snapshots = first_snapshots(table, config, 4)
    told = next(snapshot for snapshot in snapshots if snapshot.stage == "guesses").law
    assert told.closeness is Closeness.AGREES
    assert snapshots[-1].stage != "guesses"


def test_two_workers_find_what_one_finds():
    table = table_of(without_law)
    one, two = (first_snapshots(table, SMALL, 5, n_jobs) for n_jobs in (1, 2))
    assert [snapshot.stage for snapshot in one][-1] == "refinement"
    for a, b in zip(one, two, strict=True):
        assert a.law.text() == b.law.text()
        assert a.evaluations == b.evaluations
        assert [e.text() for e in a.front.equations] == [e.text() for e in b.front.equations]


def test_paths_walk_between_the_turns_of_slow_proposers_and_all_candidates_count():
    others = tuple(name for name in PROPOSERS if name not in ("sums", "waves"))
    config = SearchConfig(
        proposal=ProposalConfig(without=others), refinement=RefinementConfig(rounds_per_turn=2, num_rounds=3)
    )
    snapshots = list(discover(table_of(without_law), config, np.random.default_rng(0)))
    assert snapshots[-1].stage == "refinement"
    counts = [snapshot.evaluations for snapshot in snapshots]
    assert counts == sorted(counts)
    first = next(index for index, snapshot in enumerate(snapshots) if snapshot.stage == "refinement")
    # Proposers cannot be gone on from, so that of at least two walks only the last keeps its paths.
    assert snapshots[first].paths is None
    assert [snapshot.paths is not None for snapshot in snapshots[-3:]] == [True, True, True]
    assert counts[-1] - counts[-2] > 0


def described(snapshot):
    front = [(equation.text(), equation.training, equation.validation) for equation in snapshot.front.equations]
    return snapshot.stage, snapshot.round, snapshot.evaluations, snapshot.law.text(), front


def test_a_search_goes_on_from_a_snapshot_as_if_it_had_never_stopped():
    table = table_of(without_law)
    config = replace(SMALL, refinement=RefinementConfig(restart_every=2, num_rounds=5))
    whole = first_snapshots(table, config, 10)
    start = next(place for place, snapshot in enumerate(whole) if snapshot.paths is not None)
    for place in (start, start + 1):  # before and at a restart of the worse paths
        again = list(discover(table, config, np.random.default_rng(4), resume=whole[place]))
        assert [described(snapshot) for snapshot in again] == [described(snapshot) for snapshot in whole[place:]]


def test_an_interrupted_round_is_left_out():
    table = table_of(without_law)
    first = next(snapshot for snapshot in first_snapshots(table, SMALL, 4) if snapshot.paths is not None)
    asked = itertools.count()
    # Asked once before the paths go on and once per path: the second path of the next round hears it.
    cut = discover(table, SMALL, np.random.default_rng(4), resume=first, is_interrupted=lambda: next(asked) > 1)
    assert [described(snapshot) for snapshot in cut] == [described(first)]


def test_the_front_never_gets_worse():
    table = table_of(without_law)
    losses = [min(equation.training.nmse for equation in snapshot.front.equations)
              for snapshot in first_snapshots(table, SMALL, 6)]  # fmt: skip
    assert all(after <= before for before, after in pairwise(losses))


def test_the_budget_of_evaluations_ends_the_search():
    table = table_of(without_law)
    config = SearchConfig(max_evaluations=300, proposal=SMALL.proposal)
    *_, last = discover(table, config, np.random.default_rng(0))
    assert 300 <= last.evaluations < 5000


def test_an_unknown_proposer_is_refused_with_the_known_ones():
    with pytest.raises(InvalidSettings, match="grammar"):
        ProposalConfig(without=("oracle",))


def test_the_size_of_the_priors_first_sketch_is_told_to_the_end(monkeypatch):
    table = table_of(without_law)
    texts = ("sin(x0) + x1*x2", "x0")
    batches = [("grammar", ["x1 + 1"]), ("prior", texts)]

    def propose(*_):
        for name, formulas in batches:
            yield Batch(name, [Sketch(parse(text, table.names), 0.0, name) for text in formulas])

    monkeypatch.setattr("mosaic_sr.pipeline.propose", propose)
    snapshots = first_snapshots(table, SMALL, 4)
    assert [snapshot.stage for snapshot in snapshots] == ["start", "grammar", "prior", "refinement"]
    assert [snapshot.decoded_operators for snapshot in snapshots] == [None, None, 3, 3]


@pytest.mark.parametrize("knows_law", [False, True])
def test_once_a_law_is_known_smaller_tables_are_left_to_quick_finders(knows_law, monkeypatch):
    asked = []

    def discovered(table, config, *_, **__):
        asked.append(config.proposal)
        yield pipeline.Snapshot("start", 1, 0, 0, Front(), Front(), None)

    monkeypatch.setattr(pipeline, "discover", discovered)
    explore = pipeline._explorer(SearchConfig(), np.random.default_rng(0), lambda: knows_law, never, Threads())
    assert explore(None) == ()
    assert {"reductions", "prior"} <= set(asked[0].without)
    assert asked[0].is_brief == knows_law
    assert not set(QUICK) - {"reductions", "dimensions"} & set(asked[0].without)


@pytest.mark.slow  # a whole search; tests of noisy tables have another
def test_the_last_snapshot_of_noisy_rows_knows_that_the_law_is_decided():
    noise = np.random.default_rng(1).normal(size=60)
    table = table_of(lambda x, y, z: 3.0 * x * (1.0 + 0.01 * noise))
    others = tuple(name for name in PROPOSERS if name != "enumeration")
    *_, last = discover(table, SearchConfig(proposal=ProposalConfig(without=others)), np.random.default_rng(0))
    assert last.is_decided
    assert last.stage == "enumeration"
    assert last.num_forms > 0
    assert last.covered_bits > 10.0


def test_rows_on_which_no_law_can_be_weighed_are_searched(monkeypatch):
    monkeypatch.setattr("mosaic_sr.selection.weighing.judge", lambda *arguments: None)
    noise = np.random.default_rng(1).normal(size=60)
    table = table_of(lambda x, y, z: 3.0 * x * (1.0 + 0.05 * noise))
    enumeration = EnumerationConfig(turns=(50, 50))
    proposal = ProposalConfig(
        without=tuple(name for name in PROPOSERS if name != "enumeration"), enumeration=enumeration
    )
    config = SearchConfig(proposal=proposal, refinement=RefinementConfig(num_rounds=0))
    *_, last = discover(table, config, np.random.default_rng(0))
    assert last.law is not None
    assert not last.is_decided
