"""Families of laws: the file format, what is drawn from it, and the families that ship."""

from pathlib import Path

import numpy as np
import pytest

from mosaic_sr.errors import InvalidFile
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.pretraining.decontamination import is_benchmark_skeleton
from mosaic_sr.pretraining.families import parse_families, read_families
from mosaic_sr.pretraining.laws import CorpusConfig, draw_law, families_of
from mosaic_sr.pretraining.point_sets import draw_point_set, draw_samples
from mosaic_sr.proposal.prior.sketch_language import scale_free_tokens

TEXT = """
# enzymes
vmax*s/(km + s) | s = 0.1..10 log | vmax = 1..5, km = 0.5..2
"""


def test_constants_and_columns_are_drawn_where_the_line_says() -> None:
    (family,) = parse_families(TEXT, "enzymes.txt")
    rng = np.random.default_rng(0)
    laws = [family.draw(rng) for _ in range(200)]
    at_one = np.array([evaluate_expression(law, np.array([[1.0]]))[0] for law in laws])
    assert 1.0 / 3.0 <= at_one.min() < at_one.max() <= 5.0 / 1.5
    assert family.columns[0] is not None
    values = family.columns[0].draw(rng, 1000)
    assert 0.1 <= values.min() < values.max() <= 10.0
    assert np.mean(values < 1.0) == pytest.approx(0.5, abs=0.06)  # by decades


def test_a_constant_named_twice_has_one_value() -> None:
    (family,) = parse_families("(x - m + abs(x - m)) | x", "ramps.txt")
    law = family.draw(np.random.default_rng(0))
    assert len(set(law.constants.tolist())) == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a*x", "line 1: expected `formula | columns | constants`"),
        ("a*x | x = 2..1", "low <= high"),
        ("a*x | x = 0..1 log", "positive"),
        ("a*x | x = one", "expected `name = low..high`"),
        ("a*x | x | b = 1..2", "no constant 'b'; it has a"),
        ("a* | x", "line 1"),
        ("a | x", "none of the columns"),
        ("", "has no family"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text(line)
    with pytest.raises(InvalidFile) as error:
        read_families(path)
    assert words in str(error.value)


def test_the_corpus_draws_laws_of_a_users_file(tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text(TEXT)
    config = CorpusConfig(family_share=1.0, families=path, short_rejection=0.0)
    rng = np.random.default_rng(0)
    law = draw_law(rng, config)
    assert law.sketch == ("div", "?", "add", "C", "?")
    assert draw_point_set(law, 30, rng, config) is not None


def test_no_family_that_ships_is_a_benchmark_law_in_the_corpus() -> None:
    config = CorpusConfig(family_share=1.0)
    rng = np.random.default_rng(1)
    assert len(families_of(config)) > 3000
    laws = [draw_law(rng, config) for _ in range(60)]
    assert not any(is_benchmark_skeleton(law.expression) for law in laws)
    assert len({scale_free_tokens(law.expression) for law in laws}) > 30


def test_without_families_the_corpus_draws_what_it_always_drew() -> None:
    """The problems of `mosaic pretrain evaluate` stay the same, so that figures of all weights compare."""
    rng = np.random.default_rng(5)
    drawn = [draw_samples(rng, CorpusConfig(), 24, 1) for _ in range(3)]
    assert drawn[1][0].sketch == ("mul", "?", "add", "C", "?")
    assert drawn[2][0].sketch == ("add", "?", "tanh", "?")
    sums = [float(points.points.sum()) for _, (points,) in drawn]
    np.testing.assert_allclose(sums, [141.3557, 50.7737, 48.863], rtol=1e-4)
    assert rng.random() == pytest.approx(0.2440519411669485)
