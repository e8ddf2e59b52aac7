"""Separation: a target as products and sums of unknown functions of blocks of columns, through scattered rows or grids.

Each unknown function is a polynomial or, where a block takes few values, a number for each of them, which is exact.
One block is solved for after the other, the rest held (alternating least squares): zeros and changes of sign of a
factor do no harm. Each row is predicted from the others, and by that degrees are chosen and forms are judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop
from mosaic_sr.proposal.reductions.polynomials import evaluate_chebyshev, list_exponents
from mosaic_sr.smooth import one_thread

Floats = NDArray[np.float64]

# Degrees of the polynomials of a block of one, two or three columns, of which each is tried after the one before.
DEGREES = {1: (3, 6, 10, 15, 22, 32, 46, 64, 90), 2: (2, 4, 6, 8, 10, 12, 15), 3: (2, 3, 4, 5, 6)}
MOST_COLUMNS = max(DEGREES)
# A number for each value of a block needs so many rows for each.
ROWS_PER_VALUE = 3.0
# All functions together may have one number for so many rows.
ROWS_PER_NUMBER = 2.5
# A higher degree must lower the errors to this share.
WORTH = 0.8
# Levels that are gone up at once: a wave shows only to polynomials that can follow it.
JUMPS = (1, 3, 6)
# At most so many sweeps, few while degrees are tried and many at the end: they converge linearly.
SWEEPS, LAST_SWEEPS = 8, 40
# A sweep that lowers the error by less than this share was the last.
LEAST_GAIN = 1e-2
# Share of the trace; keeps normal equations solvable, and a second solution removes what it does to the first.
RIDGE = 1e-14
# Errors below this share of the deviation are those of rounding.
ROUNDING = 1e-13
# No sweep lowers errors below this share, a few roundings.
LEAST = 1e-15
# Rows with a share in their own prediction beyond this are hardly predicted by others at all.
LEAST_FREE = 0.05


@dataclass(frozen=True)
class BlockForm:
    """y = product of a function of each block in `factors` + sum of a function of each block in `terms`.

    blocks: of columns.  factors, terms: places among the blocks.
    """

    blocks: tuple[tuple[int, ...], ...]
    factors: tuple[int, ...] = ()
    terms: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Separation:
    """A target in some form.

    factors, terms: values of the functions by place, each (rows,).
    leave_one_out: (rows,), each row minus its prediction from the others.  error: their share of the deviation.
    levels: of the functions of each block.
    """

    form: BlockForm
    factors: dict[int, Floats]
    terms: dict[int, Floats]
    leave_one_out: Floats
    error: float
    levels: tuple[int, ...]

    def beside(self, place: int) -> Floats:
        """The product of all factors but one."""
        others = [values for other, values in self.factors.items() if other != place]
        return np.prod(others, axis=0) if others else np.ones(len(self.leave_one_out))


class BlockFunctions:
    """Columns in which forms are fitted, (columns, rows), and the functions of their blocks, which are made once."""

    def __init__(self, columns: Floats) -> None:
        self.columns = columns
        self.units = np.array([_unit(column) for column in columns])
        self._levels: dict[tuple[int, ...], Floats | None] = {}
        self._bases: dict[tuple[tuple[int, ...], int], Floats] = {}

    def has_few_values(self, block: tuple[int, ...]) -> bool:
        """Whether there are rows enough for a number for each value that a block takes."""
        return self._by_value(block) is not None

    def basis(self, block: tuple[int, ...], level: int) -> Floats | None:
        """Functions of a block, (rows, functions), more of them on each level; None beyond the last level."""
        by_value = self._by_value(block)
        degrees = DEGREES[len(block)] if by_value is None else (0,)
        if level >= len(degrees):
            return None
        if by_value is None and (block, level) not in self._bases:
            terms = list_exponents(len(block), degrees[level])
            self._bases[block, level] = evaluate_chebyshev(self.units[list(block)], terms)[0]
        return self._bases[block, level] if by_value is None else by_value

    def _by_value(self, block: tuple[int, ...]) -> Floats | None:
        if block not in self._levels:
            values, places = np.unique(self.columns[list(block)], axis=1, return_inverse=True)
            is_few = values.shape[1] * ROWS_PER_VALUE <= self.columns.shape[1]
            self._levels[block] = np.eye(values.shape[1])[places.ravel()] if is_few else None
        return self._levels[block]


def _unit(column: Floats) -> Floats:
    """The column on [-1, 1], through its logarithms where it spreads evenly over those only."""
    if np.all(column > 0) and np.median(column) < 0.25 * (column.min() + column.max()):
        column = np.log(column)
    width = float(np.ptp(column))
    return 2.0 * (column - column.min()) / width - 1.0 if width > 0 else np.zeros_like(column)


def separate(
    blocks: BlockFunctions, target: Floats, form: BlockForm, known: dict[int, Floats] | None = None
) -> Separation | None:
    """The target in a form, with the degrees that predict rows best; None where there are too few rows.

    known: factors by place, (rows,) each, that are right but for their size.
    """
    with one_thread():
        return _separate(blocks, target, form, known or {})


def _separate(blocks: BlockFunctions, target: Floats, form: BlockForm, fixed: dict[int, Floats]) -> Separation | None:
    start = _started(blocks, target, form, fixed)
    if start is None:
        return None
    best = _grown(start, lambda before, levels: _fitted(blocks, target, before, levels, SWEEPS, fixed))
    final = _fitted(blocks, target, best, best.levels, LAST_SWEEPS, fixed)
    return best if final is None or final.error > best.error else final


Refit = Callable[[Separation, tuple[int, ...]], Separation | None]


def _grown(start: Separation, fit: Refit) -> Separation:
    """The fit on the levels that predict rows best; `fit` makes one on other levels, from the one before."""
    best, before = start, None
    while best is not before:
        before = best
        for move in _moves(len(best.levels)):
            best = _climbed(best, move, fit)
    return best


def _climbed(best: Separation, move: tuple[int, ...], fit: Refit) -> Separation:
    """The fit after the same move again and again, for as long as it pays."""
    while best.error > ROUNDING:
        later = fit(best, tuple(level + step for level, step in zip(best.levels, move, strict=True)))
        if later is None or not later.error < WORTH * best.error:
            return best
        best = later
    return best


@cache
def _moves(num_blocks: int) -> tuple[tuple[int, ...], ...]:
    """Levels that blocks go up: each alone, and all at once, where each hides what the others would gain."""
    alone = [
        tuple(jump * (place == other) for other in range(num_blocks)) for place in range(num_blocks) for jump in JUMPS
    ]
    return (*alone, (1,) * num_blocks)


def _started(blocks: BlockFunctions, target: Floats, form: BlockForm, fixed: dict[int, Floats]) -> Separation | None:
    """The better of two first guesses of the factors: all alike, and each rising with its first column."""
    even = {place: np.ones(len(target)) for place in form.factors}
    rising = {place: 1.0 + blocks.units[form.blocks[place][0]] for place in form.factors}
    terms = {place: np.zeros(len(target)) for place in form.terms}
    levels = tuple(0 for _ in form.blocks)
    starts = [Separation(form, {**start, **fixed}, terms, target, np.inf, levels) for start in (even, rising)]
    found = [_fitted(blocks, target, start, levels, SWEEPS, fixed) for start in starts[: 1 + bool(form.factors)]]
    return min((each for each in found if each is not None), key=lambda each: each.error, default=None)


def _fitted(
    blocks: BlockFunctions,
    target: Floats,
    start: Separation,
    levels: tuple[int, ...],
    sweeps: int,
    fixed: dict[int, Floats],
) -> Separation | None:
    """The form fitted with other functions, from those of another fit."""
    form, bases = start.form, []
    for place, (block, level) in enumerate(zip(form.blocks, levels, strict=True)):
        basis = fixed[place][:, None] if place in fixed else blocks.basis(block, level)
        if basis is None or (place in fixed and level):
            return None
        bases.append(basis)
    num_numbers = sum(bases[place].shape[1] for place in (*form.factors, *form.terms))
    if num_numbers * ROWS_PER_NUMBER > len(target):
        return None
    sweep = _Sweep(target, form, bases, dict(start.factors), dict(start.terms))
    return replace(sweep.repeated(sweeps), levels=levels)


@dataclass(eq=False)
class _Sweep:
    """Functions by place that are solved for one after the other."""

    target: Floats
    form: BlockForm
    bases: list[Floats]
    factors: dict[int, Floats]
    terms: dict[int, Floats]

    def repeated(self, times: int) -> Separation:
        """The fit after so many sweeps, or when they no longer help."""
        deviation, error = float(self.target.std()), np.inf
        leverage = np.zeros(len(self.target))
        for _ in range(times):
            heed_stop()
            leverage = np.sum([self._solve(place) for place in self._order], axis=0)
            before, error = error, _size_of(self._left) / deviation
            if not error < (1.0 - LEAST_GAIN) * before or error < LEAST:
                break
        # A row's prediction from the others is off by its residual over the share that is not its own.
        leave_one_out = self._left / np.maximum(1.0 - leverage, LEAST_FREE)
        return Separation(self.form, self.factors, self.terms, leave_one_out, _share_of(leave_one_out, self.target), ())

    @property
    def _order(self) -> list[int]:
        """Terms last: they make up for what centring takes from a factor."""
        return sorted(range(len(self.bases)), key=lambda place: place in self.terms)

    @property
    def _left(self) -> Floats:
        return self.target - self._product(self.factors) - self._sum(self.terms)

    def _product(self, factors: Iterable[int]) -> Floats:
        values = [self.factors[place] for place in factors]
        return np.asarray(np.prod(values, axis=0)) if self.factors else np.zeros(len(self.target))

    def _sum(self, terms: Iterable[int]) -> Floats:
        return np.asarray(sum((self.terms[place] for place in terms), np.zeros(len(self.target))))

    def _solve(self, place: int) -> Floats:
        """Solve for the functions of a block; the share that each row has in its own prediction: (rows,)."""
        basis, designs = self.bases[place], []
        rest = self.target - self._sum(other for other in self.terms if other != place)
        if place in self.factors:
            beside = [self.factors[other] for other in self.factors if other != place]
            designs.append(basis * np.prod(beside, axis=0)[:, None] if beside else basis)
        else:
            rest = rest - self._product(self.factors)
        if place in self.terms:
            designs.append(basis)
        numbers, leverage = _least_squares(np.concatenate(designs, axis=1), rest)
        if place in self.factors:
            values = basis @ numbers[: basis.shape[1]]
            if self.terms and place not in self.terms and basis.shape[1] > 1:
                values = values - values.mean()  # else factor and term drift along together
            # All but the last are of size 1, so that no factor grows while another shrinks.
            size = _size_of(values) if place != self.form.factors[-1] else 1.0
            self.factors[place] = values / size if size > 0 else values
        if place in self.terms:
            self.terms[place] = basis @ numbers[-basis.shape[1] :]
        return leverage


def _size_of(values: Floats) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


def _share_of(errors: Floats, target: Floats) -> float:
    """Errors as a share of the target's deviation, or of its middle half's spread, which long tails do not stretch."""
    low, high = np.quantile(target, [0.25, 0.75])
    share = _size_of(errors) / float(target.std())
    if high > low:
        share = max(share, float(np.median(np.abs(errors))) / float(high - low))
    return share if np.isfinite(share) else np.inf


def _least_squares(design: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Numbers (functions,) and the leverage of each row (rows,)."""
    sizes = np.sqrt(np.mean(np.square(design), axis=0))
    sizes = np.where(sizes > 0, sizes, 1.0)
    scaled = design / sizes
    normal = scaled.T @ scaled
    inverse = np.linalg.inv(normal + RIDGE * (np.trace(normal) + np.finfo(np.float64).tiny) * np.eye(len(normal)))
    seen = scaled @ inverse
    numbers = seen.T @ target
    for _ in range(2):
        numbers = numbers + seen.T @ (target - scaled @ numbers)
    return numbers / sizes, np.einsum("ij,ij->i", seen, scaled)
