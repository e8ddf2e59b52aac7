"""How well the edit and value heads read laws with mistakes that no training draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from mosaic_sr.errors import InvalidFile
from mosaic_sr.pretraining.corpus import block_rng
from mosaic_sr.pretraining.laws import CorpusConfig
from mosaic_sr.pretraining.mistakes import Mistakes
from mosaic_sr.pretraining.point_sets import PointSet, draw_samples
from mosaic_sr.proposal.prior.edit_language import ACTIONS, INNER, LEAVES, Edit, apply_edit, brings_operand
from mosaic_sr.proposal.prior.edits import EDITS_PER_LAW, ReadLaw, edited_laws, read_law, usable_words
from mosaic_sr.proposal.prior.session import PriorSession, load_session
from mosaic_sr.proposal.prior.sketch_language import normal_order_bound
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES, TOKENS, Tokens

_SEED = 2**31 + 2  # neither training nor the evaluation of sketches uses it


@dataclass(frozen=True)
class EditReading:
    """How one law was read; the control has the rows of the next problem.

    rank: place of the first fix among the proposals, or -1; missing, expected: true and predicted number of fixes.
    """

    missing: int
    expected: float
    rank: int
    control_rank: int


@dataclass(frozen=True)
class EditRow:
    """Figures of the laws with so many mistakes; shares in 0..1.

    fix_at_1, _10, _100: a fix is the first proposal, or among so many.  expected: mean predicted number of fixes.
    """

    name: str
    laws: int
    fix_at_1: float
    fix_at_10: float
    fix_at_100: float
    control_at_10: float
    expected: float


def evaluate_edits(
    folder: Path, corpus: CorpusConfig, num_laws: int, seed: int, report: Callable[[int], None]
) -> list[EditReading]:
    """How laws of the corpus with mistakes were read."""
    session = load_session(folder)
    if session.card.edits is None or not corpus.has_mistakes:
        raise InvalidFile(f"{folder} or the preset has no edits; both need the preset guided")
    rng, drawn = block_rng(_SEED, seed), list[PointSet]()
    for _ in range(num_laws):
        _, (points,) = draw_samples(rng, corpus, int(rng.choice(corpus.num_points)), 1)
        drawn.append(points)
    readings = []
    for index, own in enumerate(drawn):
        other = drawn[(index + 1) % num_laws]
        assert own.mistakes is not None
        readings.append(_reading(session, own, own.mistakes, other))
        report(index + 1)
    return readings


def _reading(session: PriorSession, own: PointSet, mistakes: Mistakes, other: PointSet) -> EditReading:
    tokens = tuple(TOKENS[number] for number in mistakes.law[0])
    wanted = {normal_order_bound(apply_edit(tokens, _edit(numbers))[0]) for numbers in mistakes.fixes.tolist()}
    read, control = (_read(session, tokens, mistakes, points) for points in (own, other))
    return EditReading(len(mistakes.fixes), read.missing, _rank(read, wanted), _rank(control, wanted))


def _edit(numbers: Sequence[int]) -> Edit:
    node, action, leaf, inner = numbers
    has_operand = brings_operand(ACTIONS[action])
    return Edit(node, ACTIONS[action], LEAVES[leaf] if has_operand else "", INNER[inner] if has_operand else "")


def _read(session: PriorSession, tokens: Tokens, mistakes: Mistakes, points: PointSet) -> ReadLaw:
    """The law with the rows of a table; residuals of other rows are those of that table's own law."""
    card = session.card.edits
    assert card is not None
    assert points.mistakes is not None
    answer = session.read_laws(points.points, points.mistakes.residuals[None], mistakes.law[None])
    return read_law(tokens, answer, 0, card, usable_words(card, MAX_VARIABLES, TOKENS))


def _rank(law: ReadLaw, wanted: set[Tokens]) -> int:
    proposed = islice(edited_laws(law, 2 * len(law.tokens) + 4), EDITS_PER_LAW)
    return next((place for place, (tokens, _) in enumerate(proposed) if tokens in wanted), -1)


def summarise_edits(readings: Sequence[EditReading]) -> list[EditRow]:
    """Figures over all laws with mistakes, and by the number of mistakes."""
    groups = [("with mistakes", [reading for reading in readings if reading.missing])]
    for number in sorted({reading.missing for reading in readings}):
        groups.append((f"{number} missing", [reading for reading in readings if reading.missing == number]))
    return [_row(name, group) for name, group in groups if group]


def _row(name: str, readings: Sequence[EditReading]) -> EditRow:
    ranks = np.array([reading.rank for reading in readings])
    control = np.array([reading.control_rank for reading in readings])

    def within(places: np.ndarray, count: int) -> float:
        return float(np.mean((places >= 0) & (places < count)))

    return EditRow(
        name=name,
        laws=len(readings),
        fix_at_1=within(ranks, 1),
        fix_at_10=within(ranks, 10),
        fix_at_100=within(ranks, EDITS_PER_LAW),
        control_at_10=within(control, 10),
        expected=float(np.mean([reading.expected for reading in readings])),
    )
