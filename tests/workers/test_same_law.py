"""The same seed gives the same law, whoever does the tasks of a search."""

import pickle

import numpy as np
import pytest
from joblib import parallel_config

from mosaic_sr import MosaicRegressor, SearchConfig, Table, discover
from mosaic_sr.budget import never
from mosaic_sr.expressions.definitions import define
from mosaic_sr.proposal import ProposalConfig, ahead
from mosaic_sr.proposal.enumeration import EnumerationConfig
from mosaic_sr.proposal.enumeration.separable import SeparableConfig
from mosaic_sr.proposal.enumeration.terms import SumConfig
from mosaic_sr.refinement import RefinementConfig, refine, start_paths
from mosaic_sr.refinement.settings import PathConfig
from mosaic_sr.workers import Threads

# Without these the search is short; sums and waves are turns enough.
SLOW = ("products", "prior", "pairs", "reductions", "grammar")


class Copying:
    """Workers that get copies, as other processes do, and forget between tasks what a process might keep."""

    are_elsewhere, num = True, 3

    def __init__(self):
        self.asked = []

    def results(self, tasks, is_interrupted):
        del is_interrupted
        self.asked.append((tasks.work.__name__, len(tasks.each)))
        for task in tasks.each:
            ahead._begun.finders.clear()
            yield pickle.loads(pickle.dumps(tasks.work(*pickle.loads(pickle.dumps((*tasks.shared, task))))))


def noisy_table():
    rng = np.random.default_rng(1)
    X = rng.uniform(0.5, 3.0, (40, 2))
    y = 2.5 * X[:, 0] ** 1.3 / (1 + X[:, 1]) + np.exp(-X[:, 0] * X[:, 1]) + 0.05 * rng.normal(size=40)
    return X, y


def course(workers):
    """What is known after each round of a short search."""
    forms = EnumerationConfig(turns=(100, 50, 50), sums=SumConfig(60, 10, 1, 2))
    config = SearchConfig(
        proposal=ProposalConfig(without=SLOW, enumeration=forms, separable=SeparableConfig(num_terms=50)),
        refinement=RefinementConfig(24, 3, rounds_per_turn=1, path=PathConfig(trials_per_round=100)),
        stops_when_exact=False,
    )
    X, y = noisy_table()
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0))
    snapshots = discover(table, config, np.random.default_rng(0), workers=workers)
    return [(one.stage, one.evaluations, one.num_forms, one.law and one.law.text()) for one in snapshots]


def test_a_search_takes_the_same_course_with_workers_elsewhere():
    workers = Copying()
    assert course(workers) == course(Threads())
    asked = {name for name, _ in workers.asked}
    assert asked == {"move", "say_turn", "_try_form", "_try_start"}
    # The finders of a round are asked together.
    assert max(count for name, count in workers.asked if name == "say_turn") == 2
    assert max(count for name, count in workers.asked if name == "_try_form") == 100


def test_samples_of_the_stability_are_searched_by_processes_with_the_same_share():
    x = np.linspace(1.0, 5.0, 30)
    shares = []
    for backend in ("threading", "loky"):
        with parallel_config(backend, n_jobs=2):
            model = MosaicRegressor(stability=2, random_state=0, without=SLOW, max_evaluations=300)
            shares.append(model.fit(x[:, None], 3.0 * x**2).stability_)
    assert shares[0] == shares[1] == 1.0


class Refusing:
    """Workers elsewhere that must not be asked."""

    are_elsewhere, num = True, 2

    def results(self, *arguments):
        raise AssertionError("asked")


@pytest.mark.parametrize("has_own", [True, False])
def test_paths_with_operators_of_the_user_stay_in_this_process(has_own):
    X, y = noisy_table()
    table = Table.from_arrays(X, y, rng=np.random.default_rng(0))
    own = define("sech(x) = 1/cosh(x)").name
    config = RefinementConfig(num_rounds=1, num_paths=2, operators=("add", "mul", *([own] if has_own else [])))
    first = next(discover(table, SearchConfig(), np.random.default_rng(0)))
    paths = start_paths(first.front.equations, config, np.random.default_rng(0))
    rounds = refine(paths, table.training, table.names, np.ones(2), config, Refusing(), never)
    if has_own:
        assert len(list(rounds)) == 1
    else:
        with pytest.raises(AssertionError, match="asked"):
            list(rounds)
