"""Backgrounds: what a full basis leaves of targets and of further terms, in the few directions beyond it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.regression.projection import add_offset, find_complement, find_distinct
from mosaic_sr.proposal.regression.sparse import System, measure_centred_norm

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Directions that a basis is left to be refuted by: numbers of a law beside them are few, and each row is one product.
SPARE_DIRECTIONS = 32
# Tolerances are estimates from norms.
MARGIN = 10.0
# Of a term that a basis holds but for this share, rounding leaves too few digits.
LEAST_SHARE = 1e-5
# Terms whose remainders agree to so many digits are one term.
TWIN_DIGITS = 9
# Targets whose products with all terms fit into a processor's own memory.
BLOCK_TARGETS = 64


def measure_left_over(values: Floats, targets: Floats) -> Floats:
    """The norms (targets,) of what an offset and the columns (rows, terms) leave of targets (targets, rows)."""
    return np.asarray(np.linalg.norm(targets @ find_complement(add_offset(values)), axis=1))


def reduce_system(system: System, terms: Floats) -> tuple[System, Indices]:
    """What the offset and all terms of a system leave of its target and of further terms, and which those terms are.

    terms: (terms, rows), weighted as the system is.  Those that the system holds and twins of others are left out.
    """
    directions = find_complement(np.concatenate([system.offset[:, None], system.values], axis=1))
    remainders = terms @ directions
    norms = _norms(remainders)
    kept = np.flatnonzero(norms > LEAST_SHARE * _norms(terms))
    remainders = remainders[kept] / norms[kept, None]
    first = find_distinct(remainders, TWIN_DIGITS)
    target = system.target @ directions
    scale = measure_centred_norm(system.offset, system.target)
    size = max(float(np.linalg.norm(target)), np.finfo(np.float64).tiny)
    nothing = np.zeros(len(target))
    return System(nothing, remainders[first].T, target, system.tolerance * scale / size), kept[first]


def _norms(values: Floats) -> Floats:
    """Of each row; without a copy of what may be tens of thousands."""
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", values, values)))


def find_nearest_terms(system: System, terms: Floats, targets: Floats) -> tuple[Indices, Floats]:
    """For each target, the further term that leaves least of it beside a whole system.

    terms: (directions, terms), as `reduce_system` returns them.  targets: (targets, rows).  Returns the terms and the
    norms of what they leave, (targets,) each.
    """
    remainders = targets @ find_complement(np.concatenate([system.offset[:, None], system.values], axis=1))
    norms = np.linalg.norm(remainders, axis=1)
    remainders = remainders / np.maximum(norms, np.finfo(np.float64).tiny)[:, None]
    # Single precision finds the nearest term; what it leaves is then computed to all digits.
    single, best = terms.astype(np.float32), np.zeros(len(targets), dtype=np.intp)
    for start in range(0, len(targets), BLOCK_TARGETS):
        closeness = remainders[start : start + BLOCK_TARGETS].astype(np.float32) @ single
        best[start : start + BLOCK_TARGETS] = np.argmax(np.abs(closeness, out=closeness), axis=1)
    chosen = terms[:, best].T
    left = remainders - chosen * np.einsum("tr,tr->t", remainders, chosen)[:, None]
    return best, norms * np.linalg.norm(left, axis=1)
