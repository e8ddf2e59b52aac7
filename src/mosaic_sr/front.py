"""`Front`: the best equations found so far, one per complexity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mosaic_sr.equation import Equation, Errors


def badness(errors: Errors) -> float:
    """The number by which equations of one complexity are ranked: both weightings count alike."""
    return errors.nmse * errors.relative


@dataclass(frozen=True)
class Front:
    """Equations in order of complexity, each the best of its complexity."""

    equations: tuple[Equation, ...] = ()

    def merged(self, others: Iterable[Equation]) -> Front:
        """This front with other equations considered; the earlier one stays at a tie."""
        best = {equation.complexity: equation for equation in self.equations}
        for equation in others:
            present = best.get(equation.complexity)
            if present is None or badness(equation.training) < badness(present.training):
                best[equation.complexity] = equation
        return Front(tuple(best[size] for size in sorted(best)))

    def pareto(self) -> tuple[Equation, ...]:
        """The equations that no simpler one beats on the validation rows."""
        kept: list[Equation] = []
        for equation in self.equations:
            if not kept or badness(equation.validation) < badness(kept[-1].validation):
                kept.append(equation)
        return tuple(kept)
