"""A law as a search might have it: true but for a few edits, with its constants fitted again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import QuickConfig, QuickFitter
from mosaic_sr.pretraining.corruption import corrupt, edit_numbers
from mosaic_sr.proposal.prior.edit_language import law_ids
from mosaic_sr.proposal.prior.residuals import residual_features
from mosaic_sr.proposal.prior.sketch_language import bound_tokens, read_scale_free
from mosaic_sr.proposal.prior.vocabulary import TOKENS, Tokens
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]
MAX_FIXES = 4
# Twice the usual sketch; a law that a search would edit further is rarely longer.
MAX_LAW_TOKENS = 36
# Shares of laws without a mistake and with one to four: most of what a search should edit is near the truth.
NUM_FIXES_CHANCES = (0.12, 0.34, 0.26, 0.16, 0.12)
NUM_TRIES = 6
# A law that leaves less than this above the noise shows no mistake: it may be the truth in another form.
LEAST_EXCESS, LEAST_LEFT = 1.05, 1e-9
# A law that leaves so much of the variance is rarely among the best of a search, so most of these are drawn again.
POOR, POOR_CHANCE = 0.3, 0.3
_FIT = QuickConfig()


@dataclass(frozen=True)
class Mistakes:
    """A law over the fed columns and what undoes its mistakes.

    law: (2, tokens), as `law_ids` has them; residuals: (rows, features); fixes: (fixes, 4), as `edit_numbers` has them.
    """

    law: NDArray[np.int64]
    residuals: NDArray[np.float32]
    fixes: NDArray[np.int64]


def draw_mistakes(
    expression: Expression, columns: Floats, fed: NDArray[np.int64], exact: Floats, target: Floats,
    rng: np.random.Generator,
) -> Mistakes:  # fmt: skip
    """The law after some edits, refitted to the target; where no draw shows in the rows, the law itself.

    columns: (columns, rows).  fed: the columns in the order in which the encoder sees them.  exact: the law's values.
    """
    # Tables of the corpus have at most ten columns, so that all are fed.
    true = bound_tokens(expression.renamed(np.argsort(fed).tolist()))
    rows = Rows(np.ascontiguousarray(columns[fed]), target, np.empty(0))
    noise = float(np.mean((target - exact) ** 2))
    least = max(LEAST_EXCESS * noise, noise + LEAST_LEFT * float(np.var(target)))
    poor = POOR * float(np.var(target))
    fitter = QuickFitter(rows, _FIT)
    for _ in range(NUM_TRIES):
        count = int(rng.choice(len(NUM_FIXES_CHANCES), p=NUM_FIXES_CHANCES))
        if count == 0:
            break
        found = corrupt(true, count, len(fed), MAX_LAW_TOKENS, rng)
        if found is None:
            continue
        values = _refitted(found.tokens, fitter, rows, rng)
        left = np.inf if values is None else float(np.mean((target - values) ** 2))
        if values is not None and left > least and (left < poor or rng.random() < POOR_CHANCE):
            fixes = np.array([edit_numbers(fix) for fix in found.fixes], dtype=np.int64)
            return Mistakes(_ids(found.tokens), residual_features(target, values), fixes)
    fitted = _refitted(true, fitter, rows, rng)
    if fitted is None or float(np.mean((target - fitted) ** 2)) > least:
        fitted = exact
    return Mistakes(_ids(true), residual_features(target, fitted), np.zeros((0, 4), np.int64))


def _refitted(tokens: Tokens, fitter: QuickFitter, rows: Rows, rng: np.random.Generator) -> Floats | None:
    """Values of the law with its constants fitted; None where they are not finite."""
    fit = fitter.fit(read_scale_free(tokens), rng.random())
    if not np.isfinite(fit.loss):
        return None
    with np.errstate(all="ignore"):
        values = np.broadcast_to(evaluate_expression(fit.expression, rows.columns), rows.target.shape)
    return values if np.isfinite(values).all() else None


def _ids(tokens: Tokens) -> NDArray[np.int64]:
    """Ids of the tokens and of the operators above them: (2, tokens)."""
    return law_ids(tokens, TOKENS)
