"""The user's words as settings of the search."""

import pytest

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.proposal import FINDERS
from mosaic_sr.settings import Wishes, num_threads


def test_the_word_finders_switches_all_of_them_off():
    assert Wishes(without=["finders", "grammar"]).config().proposal.without == (*FINDERS, "grammar")


def test_an_unknown_proposer_is_refused_with_the_known_ones():
    with pytest.raises(InvalidSettings, match=r"unknown proposer 'finder'.*grammar, and finders for power_laws"):
        Wishes(without=["finder"]).config()


@pytest.mark.parametrize(("n_jobs", "threads"), [(None, 1), (3, 3), (-1, 4), (-2, 3), (-9, 1)])
def test_threads_count_as_in_scikit_learn(monkeypatch, n_jobs, threads):
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert num_threads(n_jobs) == threads
