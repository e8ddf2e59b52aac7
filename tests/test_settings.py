"""The user's words as settings of the search."""

import pytest

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.proposal import FINDERS
from mosaic_sr.settings import Wishes


def test_the_word_finders_switches_all_of_them_off():
    assert Wishes(without=["finders", "grammar"]).config().proposal.without == (*FINDERS, "grammar")


def test_an_unknown_proposer_is_refused_with_the_known_ones():
    with pytest.raises(InvalidSettings, match=r"unknown proposer 'finder'.*grammar, and finders for power_laws"):
        Wishes(without=["finder"]).config()
