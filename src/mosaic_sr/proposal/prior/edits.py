"""Edits of the best laws so far, as the edit head proposes them: sketches whose columns are bound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.equation import Equation
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.prior.card import EditCard
from mosaic_sr.proposal.prior.decoding import log_softmax
from mosaic_sr.proposal.prior.edit_language import (
    LEAVES,
    Edit,
    allowed_actions,
    apply_edit,
    brings_operand,
    law_ids,
)
from mosaic_sr.proposal.prior.encoding import MAX_POINTS, encode
from mosaic_sr.proposal.prior.residuals import residual_features
from mosaic_sr.proposal.prior.session import PriorSession, ReadLaws
from mosaic_sr.proposal.prior.sketch_language import bound_tokens, normal_order_bound, read_scale_free
from mosaic_sr.proposal.prior.vocabulary import PAD, VARIABLE_TOKENS, Tokens
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
# Laws that one turn reads, those that it edits, and edits of each: a hundred fits take a tenth of a second.
LAWS_READ, LAWS_EDITED, EDITS_PER_LAW = 24, 6, 100
# Operands that are tried for an action that brings one.
OPERANDS_PER_ACTION = 12


@dataclass(frozen=True)
class ReadLaw:
    """A law over the fed columns, and what the model says of it.

    missing: how many edits it lacks, on average.  edits: with their log-probabilities, likeliest first.
    """

    tokens: Tokens
    missing: float
    edits: tuple[tuple[Edit, float], ...]


@dataclass(frozen=True)
class Usable:
    """What edits of one table may write: actions, leaves and inner functions of the model's lists, as masks."""

    actions: NDArray[np.bool_]
    leaves: NDArray[np.bool_]
    inner: NDArray[np.bool_]


def usable_words(card: EditCard, num_columns: int, operators: Sequence[str]) -> Usable:
    """The words for so many columns and these operators; a difference is a sum in a scale-free law."""
    known = {*operators, "", "first", "second", *LEAVES[: num_columns + 1], *(("add",) if "sub" in operators else ())}
    actions = np.array([action.split(" ")[1] in known for action in card.actions])
    return Usable(actions, *(np.array([word in known for word in words]) for words in (card.leaves, card.inner)))


class EditTable:
    """A table as the edit head reads it; the same rows for all laws.  operators: those that laws may have."""

    def __init__(
        self, session: PriorSession, rows: Rows, rng: np.random.Generator, operators: Sequence[str] = NAMES
    ) -> None:
        chosen = np.arange(rows.num_rows)
        if rows.num_rows > MAX_POINTS:
            chosen = np.sort(rng.choice(rows.num_rows, MAX_POINTS, replace=False))
        self._columns, self._target = rows.columns[:, chosen], rows.target[chosen]
        self._session = session
        encoded = encode(self._columns, self._target, session.card.encoding, rng)
        self._points, self.fed = encoded.points, encoded.columns
        assert session.card.edits is not None
        self._card, self.longest = session.card.edits, session.card.edits.max_law_tokens
        self._usable = usable_words(self._card, len(self.fed), operators)

    def read(self, laws: Sequence[Equation]) -> list[ReadLaw]:
        """What is wrong with the laws that the model can read, in their order."""
        readable = [(law, tokens) for law in laws if (tokens := self._tokens(law)) is not None]
        if not readable:
            return []
        residuals = [self._residuals(law) for law, _ in readable]
        ids = _padded([tokens for _, tokens in readable], self._session.card.tokens)
        answer = self._session.read_laws(self._points, np.stack(residuals), ids)
        return [read_law(tokens, answer, index, self._card, self._usable) for index, (_, tokens) in enumerate(readable)]

    def _tokens(self, law: Equation) -> Tokens | None:
        """The law over the fed columns; None where it has others, too many nodes or operators of the user."""
        places = {column: place for place, column in enumerate(self.fed)}
        expression = law.expression
        if expression.has_defined or not expression.columns or not places.keys() >= set(expression.columns):
            return None
        with np.errstate(all="ignore"):
            if not np.isfinite(evaluate_expression(expression, self._columns)).all():
                return None
        tokens = bound_tokens(expression.renamed([places.get(column, 0) for column in range(len(self._columns))]))
        known = set(self._session.card.tokens)
        return tokens if len(tokens) <= self._card.max_law_tokens and known >= set(tokens) else None

    def _residuals(self, law: Equation) -> NDArray[np.float32]:
        return residual_features(self._target, evaluate_expression(law.expression, self._columns))

    def sketch(self, tokens: Tokens, log_weight: float) -> Sketch:
        """The law that the tokens spell, over the columns of the table, its constants open."""
        names = [*self.fed, *([0] * (len(self._columns) - len(self.fed)))]
        return Sketch(read_scale_free(tokens).renamed(names), log_weight, "prior")


def _padded(laws: Sequence[Tokens], tokens: Sequence[str]) -> NDArray[np.int64]:
    ids = np.full((len(laws), 2, max(map(len, laws))), tokens.index(PAD))
    for row, law in zip(ids, laws, strict=True):
        row[:, : len(law)] = law_ids(law, tokens)
    return ids


def edited_laws(law: ReadLaw, longest: int) -> Iterator[tuple[Tokens, float]]:
    """Distinct laws after one edit, the likeliest first, in normal order, with their log-probabilities."""
    seen = {normal_order_bound(law.tokens)}
    for edit, log_probability in law.edits:
        heed_stop()
        normal = normal_order_bound(apply_edit(law.tokens, edit)[0])
        has_columns = any(token in VARIABLE_TOKENS for token in normal)
        if has_columns and 1 < len(normal) <= longest and normal not in seen:
            seen.add(normal)
            yield normal, log_probability


def read_law(tokens: Tokens, answer: ReadLaws, index: int, card: EditCard, usable: Usable) -> ReadLaw:
    """What the model says of the law of that index."""
    size = len(tokens)
    is_allowed = allowed_actions(tokens, card.actions) & usable.actions
    actions = _log_chances(answer.actions[index, :size].reshape(1, -1), is_allowed.reshape(1, -1))[0]
    leaves = _log_chances(answer.leaves[index, :size], usable.leaves)
    inner = _log_chances(answer.inner[index, :size], usable.inner)
    chances = np.exp(_log_chances(answer.missing[index][None], np.ones(card.max_missing + 1, np.bool_)))[0]
    found: list[tuple[Edit, float]] = []
    for place in np.argsort(-actions, kind="stable")[: min(EDITS_PER_LAW, int(is_allowed.sum()))]:
        node, number = divmod(int(place), len(card.actions))
        action, score = card.actions[number], float(actions[place])
        if not brings_operand(action):
            found.append((Edit(node, action), score))
            continue
        both = (leaves[node][:, None] + inner[node][None]).ravel()
        for operand in np.argsort(-both, kind="stable")[: min(OPERANDS_PER_ACTION, int(np.isfinite(both).sum()))]:
            leaf, function = divmod(int(operand), len(card.inner))
            edit = Edit(node, action, card.leaves[leaf], card.inner[function])
            found.append((edit, score + float(both[operand])))
    found.sort(key=lambda item: -item[1])
    return ReadLaw(tokens, float(chances @ np.arange(len(chances))), tuple(found))


def _log_chances(logits: NDArray[np.float32], is_allowed: NDArray[np.bool_]) -> Floats:
    """Log-probabilities of what is allowed along the last axis; NaN counts as 0."""
    return log_softmax(np.where(is_allowed, np.nan_to_num(logits.astype(np.float64)), -np.inf))


def propose_edits(table: EditTable, laws: Sequence[Equation], known: set[Tokens]) -> list[Sketch]:
    """Edits of the laws that lack the fewest, as far as they are not in `known`, which grows by them."""
    read = sorted(table.read(laws[:LAWS_READ]), key=lambda law: law.missing)
    found: list[Sketch] = []
    for law in read[:LAWS_EDITED]:
        fresh = (item for item in edited_laws(law, table.longest) if item[0] not in known)
        for tokens, log_probability in islice(fresh, EDITS_PER_LAW):
            known.add(tokens)
            found.append(table.sketch(tokens, log_probability))
    return found
