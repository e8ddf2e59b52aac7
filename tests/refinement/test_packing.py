"""Paths survive the way through named arrays."""

import numpy as np
import pytest

from mosaic_sr.expressions.text import parse
from mosaic_sr.refinement import Paths
from mosaic_sr.refinement.packing import pack_paths, unpack_paths
from mosaic_sr.refinement.path import start_path
from mosaic_sr.refinement.settings import PathConfig


def make_paths():
    state = np.array([7], np.uint64)
    laws = {"grammar": "2*x + 1", "guesses": "sin(x)/3"}
    paths = (start_path(parse(text, ["x"]), PathConfig(), state, name) for name, text in laws.items())
    return Paths(5, tuple(paths))


def test_every_array_of_every_path_comes_back():
    paths = make_paths()
    packed = pack_paths(paths)
    assert all(array.dtype != object for array in packed.values())
    again = unpack_paths(packed)
    assert again.num_rounds == 5
    assert [path.found_by for path in again.paths] == ["grammar", "guesses"]
    for name, array in pack_paths(again).items():
        np.testing.assert_array_equal(array, packed[name])
    assert again.paths[0].program.codes.dtype == paths.paths[0].program.codes.dtype


def test_a_missing_array_is_noticed():
    packed = pack_paths(make_paths())
    del packed["path.bests.losses"]
    with pytest.raises(KeyError):
        unpack_paths(packed)
