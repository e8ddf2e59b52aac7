"""`Front`: the best equations found so far of each complexity, and their equals where nothing is left to explain."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mosaic_sr.equation import Equation, Errors
from mosaic_sr.exactness import NEARLY_EXACT

Measure = Callable[[Errors], float]

# Equations kept per complexity: twins in disguise abound, and a reader wants few.
MOST_KEPT = 4


def badness(errors: Errors) -> float:
    """The number by which equations are ranked on a target that spans decades: both weightings count alike."""
    return errors.nmse * errors.relative


def nmse(errors: Errors) -> float:
    """The number by which equations are ranked on other targets.

    There the relative error is that of the few rows nearest to zero, which noise decides.
    """
    return errors.nmse


@dataclass(frozen=True)
class Front:
    """Equations in order of complexity: the best of each, followed by others of it that are as good as exact.

    is_wide: whether the target spans decades. Then the best by the plain error is kept too, because noise that is the
    same in all rows drowns the small ones, and with them the relative error.
    """

    equations: tuple[Equation, ...] = ()
    is_wide: bool = True

    def merged(self, others: Iterable[Equation]) -> Front:
        """This front with other equations considered; the earlier one stays at a tie."""
        by_size: dict[int, list[Equation]] = {}
        for equation in (*self.equations, *others):
            present = by_size.setdefault(equation.complexity, [])
            present[:] = self._ranked(present, equation)
        kept = (equation for size in sorted(by_size) for equation in by_size[size])
        return Front(tuple(kept), self.is_wide)

    def pareto(self) -> tuple[Equation, ...]:
        """The equations that no simpler one beats on the validation rows, one of each complexity."""
        leading: dict[int, Equation] = {}
        for equation in self._unbeaten(lambda equation: equation.validation):
            leading.setdefault(equation.complexity, equation)
        return tuple(leading.values())

    def contenders(self) -> tuple[Equation, ...]:
        """The equations that no simpler one beats on the rows of the search, and all that are as good as exact."""
        unbeaten = {id(equation) for equation in self._unbeaten(lambda equation: equation.training)}
        return tuple(equation for equation in self.equations if id(equation) in unbeaten or _is_nearly_exact(equation))

    @property
    def _measures(self) -> tuple[Measure, ...]:
        return (badness, nmse) if self.is_wide else (nmse,)

    def _unbeaten(self, errors_of: Callable[[Equation], Errors]) -> list[Equation]:
        kept: list[Equation] = []
        least = [math.inf] * len(self._measures)
        for equation in self.equations:
            errors = [measure(errors_of(equation)) for measure in self._measures]
            if any(error < bound for error, bound in zip(errors, least, strict=True)):
                kept.append(equation)
            least = [min(error, bound) for error, bound in zip(errors, least, strict=True)]
        return kept

    def _ranked(self, present: list[Equation], equation: Equation) -> list[Equation]:
        """Equations of one complexity with another one considered, the best first; one of each structure."""
        structure, first = equation.expression.structure_key, self._measures[0]
        for other in present:
            if other.expression.structure_key == structure:
                if not _rank(equation, first) < _rank(other, first):
                    return present
                present = [one for one in present if one is not other]
        pool = [*present, equation]
        leaders = [min(pool, key=lambda one: _rank(one, measure)) for measure in self._measures]
        rivals = [one for one in pool if _is_nearly_exact(one)]
        ordered = [*leaders, *sorted(rivals, key=lambda one: _rank(one, first))]
        return list({id(one): one for one in ordered}.values())[:MOST_KEPT]


def _rank(equation: Equation, measure: Measure) -> tuple[int, float]:
    return -equation.closeness, measure(equation.training)


def _is_nearly_exact(equation: Equation) -> bool:
    """Laws in different words may all be the truth then: several of one size are kept."""
    return equation.agrees or equation.training.nmse < NEARLY_EXACT**2


def strict_front(equations: Sequence[Equation], law: Equation) -> tuple[Equation, ...]:
    """The equations in order of complexity, each with less training loss than all simpler ones, the law among them.

    The law was chosen by more than its loss: equations that are no simpler than it need less loss, and simpler ones
    with less are left out. Beyond a law that agrees the digits of the loss are rounding.
    """
    loss, size = law.training.loss, law.complexity
    simpler = [one for one in equations if one.complexity < size and one.training.loss > loss]
    larger = [one for one in equations if one.complexity > size and one.training.loss < loss and not law.agrees]
    kept: list[Equation] = []
    for equation in sorted((*simpler, law, *larger), key=lambda one: (one.complexity, one.training.loss)):
        if not kept or equation.training.loss < kept[-1].training.loss:
            kept.append(equation)
    return tuple(kept)
