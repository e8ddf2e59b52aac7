"""The grammar sampler: distinct canonical sketches, small ones first."""

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import num_operators
from mosaic_sr.operators import ARITY, CODES
from mosaic_sr.proposal.grammar import GrammarConfig, draw_sketches


def sketches(operators=("add", "mul", "sin", "sq"), seed=0):
    return [s.expression for s in draw_sketches(GrammarConfig(150, 4), 4, operators, np.random.default_rng(seed))]


def test_sketches_are_distinct_canonical_and_in_order_of_size():
    found = sketches()
    assert len({sketch.structure_key for sketch in found}) == len(found) > 50
    assert [len(sketch) for sketch in found] == sorted(len(sketch) for sketch in found)
    assert all(canonical(sketch).structure_key == sketch.structure_key for sketch in found)
    assert all(num_operators(sketch) <= 4 for sketch in found)


def test_variables_and_constants_are_left_open():
    for sketch in sketches():
        assert sketch.num_holes > 0
        assert not sketch.columns
        assert np.all(np.isnan(sketch.constants))


def test_allowed_operators_and_their_canonical_kin_alone_occur():
    codes = np.unique(np.concatenate([sketch.codes for sketch in sketches(("add", "sin"))]))
    kin = {CODES[name] for name in ("add", "sin", "mul", "sub", "neg")}
    assert {int(code) for code in codes if ARITY[code]} <= kin


def test_the_same_seed_gives_the_same_sketches():
    one, same, other = ([sketch.structure_key for sketch in sketches(seed=seed)] for seed in (5, 5, 6))
    assert one == same != other
