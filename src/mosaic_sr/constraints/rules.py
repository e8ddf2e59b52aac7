"""`Rules`: the constraints of one table, and whether a law keeps them, by samples and by proof."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints.placed import Placed
from mosaic_sr.constraints.proving import attempt_proof
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression

Floats = NDArray[np.float64]

# Points at which each law is looked at first, so that most of those that break a constraint are out at once, and at
# which those are looked at that pass.
FEW_POINTS, MANY_POINTS = 256, 4096
# Laws whose verdict is kept in memory.
MOST_KNOWN = 100_000


@dataclass(frozen=True)
class Verdict:
    """Whether a law keeps one constraint, and how that was decided."""

    constraint: str
    holds: bool
    how: str

    @property
    def word(self) -> str:
        """`proved`, `held` (on samples) or `broken`."""
        return self.how.partition(" ")[0]


class Rows:
    """Rows of the table in the user's units, as points to look at: (columns, rows). The identity of a search has them
    already, so that they are not told again.
    """

    def __init__(self, columns: Floats) -> None:
        self.columns = columns

    def __repr__(self) -> str:
        return "Rows()"

    def __deepcopy__(self, memo: object) -> Rows:
        return self


@dataclass(frozen=True)
class Scale:
    """A number of the user's is the table's times two to these powers."""

    columns: tuple[int, ...] = ()
    target: int = 0

    def values(self, expression: Expression, points: Floats) -> Floats:
        """Values of an expression of the table in the user's units; points: in the user's units, (columns, points)."""
        with np.errstate(all="ignore"):
            own = np.ldexp(points, -np.array(self.columns)[:, None]) if any(self.columns) else points
            values = evaluate_expression(expression, own)
            return np.ldexp(values, self.target) if self.target else values


@dataclass(frozen=True)
class Rules:
    """Constraints over the columns of a table, which is scaled by `scale`."""

    placed: tuple[Placed, ...] = ()
    names: tuple[str, ...] = ()
    rows: Rows = field(default_factory=lambda: Rows(np.empty((0, 0))))
    scale: Scale = field(default_factory=Scale)

    @cached_property
    def _known(self) -> dict[tuple[bytes, bool], int]:
        return {}

    @cached_property
    def _refuted(self) -> dict[bytes, bool]:
        return {}

    @cached_property
    def refusals(self) -> Counter[str]:
        """How many laws each constraint has kept out."""
        return Counter()

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers other than 0 that constraints name as values of the law, in the table's units."""
        stated = [placed.constraint for placed in self.placed]
        named = {number for own in stated for number in (own.low, own.high, own.value)}
        return tuple(np.ldexp(number, -self.scale.target) for number in sorted(named) if 0.0 < abs(number) < np.inf)

    def hold(self, expression: Expression, is_scaled: bool = False) -> bool:
        """Whether no sample breaks a constraint; is_scaled: the expression is one of the table's scaled columns."""
        key = expression.key, is_scaled
        if key not in self._known:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._first_broken(expression, self.scale if is_scaled else Scale())
            broken = self._known[key]
            if broken >= 0:
                self.refusals[self.placed[broken].constraint.text] += 1
        return self._known[key] < 0

    def _first_broken(self, expression: Expression, scale: Scale) -> int:
        """The place of a constraint that samples show to be broken; -1 where none is."""
        for points in (self._few, self._many):
            for place, own in enumerate(points):
                values = scale.values(expression, own)
                if self.placed[place].first_break(values, own) is not None:
                    return place
        return -1

    @cached_property
    def _few(self) -> list[Floats]:
        return [placed.points(FEW_POINTS) for placed in self.placed]

    @cached_property
    def _many(self) -> list[Floats]:
        return [self._with_rows(placed, placed.points(MANY_POINTS)) for placed in self.placed]

    def _with_rows(self, placed: Placed, points: Floats) -> Floats:
        """The points, and for bounds also the rows that are in the region."""
        if placed.constraint.kind != "bounds" or not self.rows.columns.size:
            return points
        inside = self.rows.columns[:, placed.region.holds(self.rows.columns)]
        return np.concatenate([points, inside], axis=1)

    def verdicts(self, expression: Expression) -> tuple[Verdict, ...]:
        """How a law, in the user's units, keeps each constraint: by proof, or else by samples."""
        return tuple(self._verdict(place, expression) for place in range(len(self.placed)))

    def refute(self, expression: Expression) -> bool:
        """Whether a law, in the user's units, breaks a constraint where proofs were left open; it is out then."""
        key = expression.key
        if key not in self._refuted:
            self._refuted[key] = not all(one.holds for one in self.verdicts(expression))
        return self._refuted[key]

    def _verdict(self, place: int, expression: Expression) -> Verdict:
        placed, points, text = self.placed[place], self._many[place], self.placed[place].constraint.text
        values = Scale().values(expression, points)
        broken = placed.first_break(values, points)
        if broken is not None:
            return Verdict(text, False, f"broken at {self._where(expression, points[:, broken])}")
        attempt = attempt_proof(placed, expression)
        if attempt.how:
            return Verdict(text, True, attempt.how)
        left = attempt.left if placed.constraint.kind == "bounds" else attempt.left[:, :0]
        broken = placed.first_break(Scale().values(expression, left), left) if left.size else None
        if broken is not None:
            return Verdict(text, False, f"broken at {self._where(expression, left[:, broken])}")
        return Verdict(text, True, f"held on {points.shape[1] + left.shape[1]:,} sampled points")

    def _where(self, expression: Expression, point: Floats) -> str:
        """A point by the columns that the law reads, and the value there."""
        value = float(Scale().values(expression, point[:, None])[0])
        read = expression.columns or range(len(point))
        places = ", ".join(f"{self.names[column]} = {point[column]:.6g}" for column in read)
        return f"{places}, where the law is {value:.6g}" if not np.isnan(value) else f"{places}, without a value"
