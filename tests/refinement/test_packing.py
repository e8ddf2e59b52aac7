"""Paths survive the way through named arrays."""

from dataclasses import replace

import numpy as np
import pytest

from mosaic_sr.expressions.definitions import define, parse_with
from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import CODES, CONSTANT, HOLE, NAMES, NUM_CODES, VARIABLE
from mosaic_sr.refinement import Paths, RefinementConfig
from mosaic_sr.refinement.packing import pack_paths, unpack_paths
from mosaic_sr.refinement.path import start_path
from mosaic_sr.refinement.programs import to_expression
from mosaic_sr.refinement.settings import PathConfig


def make_paths():
    state = np.array([7], np.uint64)
    laws = {"grammar": "2*x + 1", "guesses": "sin(x)/3"}
    paths = (start_path(parse(text, ["x"]), PathConfig(), state, name) for name, text in laws.items())
    return Paths(5, tuple(paths))


CONFIG = RefinementConfig()


def test_every_array_of_every_path_comes_back():
    paths = make_paths()
    packed = pack_paths(paths)
    assert all(array.dtype != object for array in packed.values())
    again = unpack_paths(packed, CONFIG, 1)
    assert again.num_rounds == 5
    assert [path.found_by for path in again.paths] == ["grammar", "guesses"]
    for name, array in pack_paths(again).items():
        np.testing.assert_array_equal(array, packed[name])
    assert again.paths[0].program.codes.dtype == paths.paths[0].program.codes.dtype


def test_defined_operators_have_the_codes_of_the_process_that_reads_them():
    names = [define(text).name for text in ("sech(x) = 1/cosh(x)", "hypot2(x, y) = x*x + y*y")]
    law = parse_with("sech(x) + hypot2(x, 2)", ["x"], names)
    paths = Paths(1, (start_path(law, PathConfig(), np.array([7], np.uint64), "test"),))
    packed = pack_paths(paths)
    assert sorted(packed["defined"].tolist()) == sorted(names)
    elsewhere = dict(packed)
    for name in [*(name for name in packed if name.endswith(".codes")), "defined_codes"]:
        elsewhere[name] = np.where(packed[name] >= NUM_CODES, packed[name] + 7, packed[name]).astype(np.int32)
    again = unpack_paths(elsewhere, replace(CONFIG, operators=(*NAMES, *names)), 1).paths[0].program
    assert to_expression(*again) == law


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"defined": np.array(["sech(x) = 1/sinh(x)"])}, "of another search"),
        ({"defined": np.array([1.0])}, "'defined'"),
        ({"defined_codes": np.array([], np.int32)}, "of another search"),
        ({"defined": np.array([], np.str_), "defined_codes": np.array([], np.int32)}, "unknown operator"),
        ({"defined_codes": np.array([5], np.int32)}, "the code of another one"),
        ({"defined_codes": np.array([10**6], np.int32)}, "the code of another one"),
        ({"defined_codes": np.array([5.0])}, "'defined_codes'"),
    ],
)
def test_forged_definitions_are_refused(change, message):
    name = define("sech(x) = 1/cosh(x)").name
    path = start_path(parse_with("sech(x)", ["x"], [name]), PathConfig(), np.array([7], np.uint64), "test")
    packed, config = pack_paths(Paths(1, (path,))), replace(CONFIG, operators=(*NAMES, name))
    assert len(unpack_paths(packed, config, 1).paths) == 1
    with pytest.raises(ValueError, match=message):
        unpack_paths(packed | change, config, 1)


def test_no_paths_come_back():
    assert unpack_paths(pack_paths(Paths(3, ())), CONFIG, 1).paths == ()


def changed(name, place, value):
    """A change of one number of one array of the first path."""

    def change(packed):
        packed[name] = packed[name].copy()
        packed[name][(0, *place)] = value

    return change


def a_best(packed, codes, slots=(0,), loss=0.5):
    """A program among the best of its size."""
    size = len(codes)
    changed("path.bests.losses", (size,), loss)(packed)
    changed("path.bests.sizes", (size,), (size, codes.count(CONSTANT)))(packed)
    changed("path.bests.codes", (size, slice(size)), codes)(packed)
    changed("path.bests.slots", (size, slice(size)), slots)(packed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda packed: packed.pop("path.bests.losses"), "not those of search paths"),
        (lambda packed: packed.update(more=np.zeros(2)), "not those of search paths"),
        (lambda packed: packed.update({"path.seen": packed["path.seen"][:, :-1]}), "'path.seen'"),
        (lambda packed: packed.update({"path.seen": packed["path.seen"].astype(np.int32)}), "'path.seen'"),
        (lambda packed: packed.update({"path.counts": packed["path.counts"][:1]}), "'path.counts'"),
        (lambda packed: packed.update({"path.found_by": np.zeros(2)}), "'path.found_by'"),
        (lambda packed: packed.update(num_rounds=np.array(5.0)), "'num_rounds'"),
        (lambda packed: packed.update(num_rounds=np.array([5])), "'num_rounds'"),
        (lambda packed: packed.update(num_rounds=np.array(-1)), "no counts"),
        (lambda packed: packed.update({name: np.repeat(packed[name], 20, 0) for name in packed if "." in name}), "40"),
        (changed("path.counts", (0,), -1), "no counts"),
        (changed("path.counts", (1,), 2**60), "no counts"),
        (changed("path.program.sizes", (0,), 0), "nodes"),
        (changed("path.program.sizes", (0,), -1), "nodes"),
        (changed("path.program.sizes", (0,), 10**9), "nodes"),
        (changed("path.program.sizes", (1,), 10**9), "nodes"),
        (changed("path.program.sizes", (1,), 1), "numbered"),
        (changed("path.program.sizes", (0,), 4), "postfix"),
        (changed("path.program.codes", (0,), CODES["add"]), "postfix"),
        (changed("path.program.codes", (0,), 10**6), "unknown operator"),
        (changed("path.program.codes", (0,), -1), "unknown operator"),
        (changed("path.program.codes", (0,), HOLE), "unknown operator"),
        (changed("path.program.slots", (1,), 1), "column beyond 1"),
        (changed("path.program.slots", (1,), -1), "column beyond 1"),
        (changed("path.program.slots", (0,), 10**6), "numbered"),
        (changed("path.program.constants", (0,), np.nan), "no numbers"),
        (changed("path.bests.losses", (3,), 0.5), "best program"),
        (changed("path.bests.losses", (3,), np.nan), "best program"),
        (changed("path.bests.sizes", (3,), 3), "best program"),
        (lambda packed: a_best(packed, [VARIABLE], loss=np.inf), "best program"),
        (lambda packed: a_best(packed, [VARIABLE], slots=[7]), "column beyond 1"),
        (lambda packed: a_best(packed, [VARIABLE, VARIABLE], slots=[0, 0]), "postfix"),
    ],
)  # fmt: skip
def test_arrays_that_no_search_wrote_are_refused(change, message):
    packed = pack_paths(make_paths())
    a_best(packed, [VARIABLE])
    unpack_paths(packed, CONFIG, 1)
    change(packed)
    with pytest.raises(ValueError, match=message):
        unpack_paths(packed, CONFIG, 1)
