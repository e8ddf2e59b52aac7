"""The synthetic corpus."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from tiny import CORPUS

from mosaic_sr.expressions.expression import num_operators
from mosaic_sr.expressions.skeleton import skeleton_hash
from mosaic_sr.expressions.text import parse, to_text
from mosaic_sr.pretraining.corpus import batches, block_rng, make_block
from mosaic_sr.pretraining.decontamination import benchmark_skeletons, is_benchmark_skeleton
from mosaic_sr.pretraining.laws import CorpusConfig, draw_law
from mosaic_sr.pretraining.point_sets import is_informative
from mosaic_sr.proposal.prior.sketch_language import normal_order
from mosaic_sr.proposal.prior.vocabulary import PAD_ID


def test_a_block_depends_on_seed_and_index_alone() -> None:
    config = replace(CORPUS, equations_per_block=6)
    first, again, other = (make_block(config, 3, index) for index in (5, 5, 6))
    for name in ("points", "full", "sketch", "matters"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert first.points.shape == (12, 16, 33)
    assert not np.array_equal(first.sketch, other.sketch)


def test_the_corpus_of_a_seed_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    # The list of benchmarks may grow; what the generator draws may not change unnoticed.
    monkeypatch.setattr("mosaic_sr.pretraining.laws.is_benchmark_skeleton", lambda law: False)
    rng = block_rng(0, 0)
    names = [f"x{index}" for index in range(10)]
    # Constants are folded to the last bit of the processor's arithmetic, which is no part of the law.
    laws = [to_text(draw_law(rng, CorpusConfig()).expression, names, precision=9) for _ in range(50)]
    assert laws[:3] == [
        "x0^2",
        "x7*(log(x4) + sqrt(25.155 + x1 + x3 + x6) - x0 - x5/x2)",
        "6.182*x0^3*(x1 + x0/tan(x0))",
    ]
    assert hashlib.sha256("\n".join(laws).encode()).hexdigest()[:16] == "621c7393efe17c3a"


def test_points_are_finite_and_vary() -> None:
    block = make_block(CORPUS, 0, 0)
    assert np.isfinite(block.points).all()
    assert (block.points[:, :, 30].std(axis=1) > 0).all()
    assert ((block.matters == 0) | (block.matters == 1)).all()
    assert (block.matters.sum(axis=1) >= 1).all()


def test_sketches_are_in_their_one_order() -> None:
    rng = block_rng(1, 0)
    for _ in range(100):
        sketch = draw_law(rng, CorpusConfig()).sketch
        assert normal_order(sketch, scale_free=True) == sketch


def test_no_law_of_the_corpus_is_a_benchmark() -> None:
    rng = block_rng(2, 0)
    laws = [draw_law(rng, CorpusConfig()).expression for _ in range(500)]
    assert not {skeleton_hash(law) for law in laws} & benchmark_skeletons()


def test_a_benchmark_law_is_recognised_whatever_its_constants_and_names() -> None:
    names = ("a", "b", "c", "d")
    gravity = parse("3.1*a*b/c^2 * d", names)
    assert num_operators(gravity) >= 4
    assert is_benchmark_skeleton(gravity) == is_benchmark_skeleton(parse("0.2*b*d*a/c^2 + 1", names))
    nguyen = parse("2*b^4 + b^3 + 0.5*b^2 + b", names)
    assert is_benchmark_skeleton(nguyen)
    assert not is_benchmark_skeleton(parse("a + b", names))


def test_a_saturated_column_is_not_informative() -> None:
    law = parse("x0 + tanh(x1)", ("x0", "x1"))
    columns = np.random.default_rng(0).uniform(1.0, 2.0, size=(2, 50))
    assert is_informative(law, columns, columns[0] + np.tanh(columns[1]))
    columns[1] += 40.0
    assert not is_informative(law, columns, columns[0] + np.tanh(columns[1]))


def test_batches_hold_every_sample_once_and_each_law_once_per_batch() -> None:
    block = make_block(CORPUS, 0, 1)
    parts = list(batches(block, 16, np.random.default_rng(0)))
    assert sum(len(part.sketch) for part in parts) == len(block.sketch)
    lengths = [(part.sketch != PAD_ID).sum(axis=1) for part in parts]
    assert np.mean([length.std() for length in lengths]) < (block.sketch != PAD_ID).sum(axis=1).std()
