"""Looks for cycles of garbage are rare while a search runs, and as before when it has ended."""

import gc

import pytest

from mosaic_sr.rare_collections import OBJECTS_BETWEEN, rare_collections


@pytest.fixture(autouse=True)
def as_before():
    threshold, is_enabled = gc.get_threshold(), gc.isenabled()
    yield
    gc.set_threshold(*threshold)
    gc.enable() if is_enabled else gc.disable()


def test_looks_are_rare_within_and_usual_after_an_error():
    before, within = gc.get_threshold(), []

    @rare_collections()
    def fail():
        within.append(gc.get_threshold()[0])
        raise ValueError("any")

    with pytest.raises(ValueError, match="any"):
        fail()
    assert within == [OBJECTS_BETWEEN]
    assert gc.get_threshold() == before


@pytest.mark.parametrize("threshold", [(0, 10, 10), (1_000_000, 10, 10)])
def test_a_user_who_looks_less_often_is_left_alone(threshold):
    gc.set_threshold(*threshold)
    with rare_collections():
        assert gc.get_threshold()[0] == threshold[0]


def test_a_user_without_looks_stays_without():
    gc.disable()
    with rare_collections():
        assert not gc.isenabled()
    assert not gc.isenabled()
