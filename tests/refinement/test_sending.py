"""Paths that are sent to workers elsewhere come back as if they had never left."""

import pickle
from itertools import islice

import numpy as np

from benchmarks.speed.search import prepare
from mosaic_sr.refinement.packing import _leaves
from mosaic_sr.refinement.sending import Filled, Move, SentPath


def bits(path):
    return {name: array.tobytes() for name, array in _leaves(path, "path").items()}


def travelled(value):
    return pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))


def test_a_path_arrives_with_all_its_bits_in_fewer_bytes():
    for one in islice(prepare(60).rounds(1), 3):
        path = one.state.paths[0]
        sent = pickle.dumps(SentPath.of(path), pickle.HIGHEST_PROTOCOL)
        assert bits(pickle.loads(sent).path()) == bits(path)
        assert len(sent) < len(pickle.dumps(path, pickle.HIGHEST_PROTOCOL)) / 3


def test_what_a_round_changed_makes_the_moved_path_of_the_one_before():
    states = [one.state for one in islice(prepare(60).rounds(1), 4)]
    for before, after in zip(states[0].paths, states[-1].paths, strict=True):
        assert bits(travelled(Move.between(before, after)).after(before)) == bits(after)


def test_the_sign_of_a_zero_and_nan_are_kept():
    for zeros in (0, 40):
        array = np.array([[0.0, -0.0, np.nan], [1.5, 2.5, -np.inf], *[[0.0] * 3] * zeros])
        filled = travelled(Filled.of(array))
        assert (filled.places is None) is (zeros == 0)
        assert filled.array().tobytes() == array.tobytes()
        filled.array()[0, 0] = 1.0
