"""`Form`: the factors that stand behind the product in front, each with groups and a power of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.proposal.scaling_laws.factors import Factor

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Form:
    """f(z)^p g(w)^q ...; where factors change their sign for groups that do not, the first one does."""

    factors: tuple[Factor, ...]

    @cached_property
    def num_groups(self) -> int:
        return sum(factor.num_groups for factor in self.factors)

    @property
    def crosses(self) -> bool:
        return self.factors[0].crosses

    @property
    def operators(self) -> frozenset[str]:
        return frozenset().union(*(factor.operators for factor in self.factors))

    @property
    def bounded_groups(self) -> NDArray[np.bool_]:
        """Whether a group that grows past 1 makes a sum change its sign: (groups,)."""
        return np.array([sign < 0 for factor in self.factors for sign in (factor.signs or (1.0,))])

    @cached_property
    def linear_groups(self) -> NDArray[np.bool_]:
        """Whether a group is a sum of columns instead of a product of powers: (groups,)."""
        return np.array([factor.is_linear for factor in self.factors for _ in range(factor.num_groups)])

    def parts(self) -> Iterator[tuple[Factor, slice]]:
        """The factors and the places of their groups."""
        start = 0
        for factor in self.factors:
            yield factor, slice(start, start + factor.num_groups)
            start += factor.num_groups

    def values_and_slopes(self, groups: Floats) -> tuple[Floats, Floats]:
        """Values (factors, ..., rows) for groups (groups, ..., rows), and slopes (factors, groups, ..., rows).

        The slopes are those of the logarithms of the factors' sizes over the logarithms of the groups' sizes, or over
        the groups where they are linear.
        """
        values = np.empty((len(self.factors), *groups.shape[1:]))
        slopes = np.zeros((len(self.factors), *groups.shape))
        for place, (factor, own) in enumerate(self.parts()):
            values[place], slopes[place, own] = factor.values_and_slopes(groups[own])
        return values, slopes


def single_forms(factors: Sequence[Factor]) -> list[Form]:
    """One factor."""
    return [Form((factor,)) for factor in factors]


def paired_forms(first: Sequence[Factor], second: Sequence[Factor]) -> list[Form]:
    """Two factors, one that changes its sign in front; each pair once."""
    pairs = {frozenset((one, other)): (one, other) for one in first for other in second}
    return [Form(tuple(sorted(pair, key=lambda factor: not factor.crosses))) for pair in pairs.values()]
