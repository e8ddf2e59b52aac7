"""`Problem`, the numbers drawn for it, and `Suite`, a named list of problems."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mosaic_sr import Expression, InvalidSettings, evaluate_expression, num_operators, parse

Floats = NDArray[np.float64]
Law = Callable[[Floats], Floats]  # columns (columns, rows) -> target (rows,)
NoiseKind = Literal["additive", "multiplicative"]


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows of a problem. columns: (columns, rows), target: (rows,).

    units: of the columns and, last, of the target, where a method is told them; else empty.
    groups: (rows,) the number of the group of each row, where rows share constants by group; else None.
    """

    columns: Floats
    target: Floats
    units: tuple[str, ...] = ()
    groups: NDArray[np.int64] | None = None

    @property
    def features(self) -> Floats:
        """The columns as most packages want them: (rows, columns), each row contiguous."""
        return np.ascontiguousarray(self.columns.T)

    @property
    def num_rows(self) -> int:
        return len(self.target)

    def rows(self, selection: slice | NDArray[np.int64]) -> Sample:
        """The selected rows as a sample of their own."""
        groups = None if self.groups is None else self.groups[selection]
        return Sample(np.ascontiguousarray(self.columns[:, selection]), self.target[selection], self.units, groups)

    def of_group(self, group: int) -> Sample:
        """The rows of one group."""
        assert self.groups is not None
        return self.rows(np.flatnonzero(self.groups == group))

    def without_columns(self, num_hidden: int) -> Sample:
        """The sample without its last columns."""
        return replace(self, columns=self.columns[: len(self.columns) - num_hidden])


@dataclass(frozen=True, eq=False)
class Draw:
    """What one seed gives; `validation` is None where the benchmark has no such rows."""

    train: Sample
    validation: Sample | None
    test: Sample

    @property
    def samples(self) -> tuple[Sample, ...]:
        return tuple(sample for sample in (self.train, self.validation, self.test) if sample is not None)


class Source(Protocol):
    """Where the rows of a problem come from."""

    def draw(self, law: Law, rng: np.random.Generator) -> Draw:
        """Rows whose targets follow the law."""


@dataclass(frozen=True)
class Problem:
    """A law to recover.

    formula: the stored truth, text in the variables x0, x1, ...
    unidentifiable: why no method can recover the truth from the numbers, or empty.
    data_formula: what the numbers follow where the benchmark's own generator differs from its stored truth.
    data_law: what the numbers follow where no formula of the grammar says it; the truth is then inexpressible.
    simpler: a law with fewer nodes that agrees with the numbers within their floor, where one is claimed.
    float32: whether columns and target carry single precision only.
    units: of the columns and, last, of the target; empty where the benchmark has none.
    num_hidden: the last columns that no method sees: constants of the law that differ from group to group.
    template: the form of the law except for some functions, where the problem has one.
    """

    suite: str
    id: str
    formula: str
    num_columns: int
    source: Source
    unidentifiable: str = ""
    data_formula: str = ""
    data_law: Law | None = None
    simpler: str = ""
    float32: bool = False
    units: tuple[str, ...] = ()
    num_hidden: int = 0
    template: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return column_names(self.num_columns)

    @cached_property
    def truth(self) -> Expression | None:
        """The stored truth, or None where the grammar cannot say it."""
        return parse(self.formula, self.names) if self.data_law is None else None

    @property
    def true_operators(self) -> int:
        """Operators of the stored truth as it is written; 0 where it is inexpressible."""
        return 0 if self.truth is None else num_operators(self.truth)

    def law(self, columns: Floats) -> Floats:
        """The targets that the numbers of this problem follow."""
        if self.data_law is not None:
            return self.data_law(columns)
        return evaluate_expression(parse(self.data_formula or self.formula, self.names), columns)

    def draw(self, seed: int) -> Draw:
        """The rows of one seed. Ids are unique over the suites; variants that share an id share their random draws."""
        return self.source.draw(self.law, np.random.default_rng([seed, zlib.crc32(self.id.encode())]))


@dataclass(frozen=True)
class Suite:
    """Problems reported together; is_kept_out: whether training data must not contain them."""

    name: str
    problems: tuple[Problem, ...]
    is_kept_out: bool = True

    @property
    def attainable(self) -> int:
        """How many problems a perfect method can recover."""
        return sum(not problem.unidentifiable for problem in self.problems)

    @property
    def unidentifiable(self) -> tuple[Problem, ...]:
        return tuple(problem for problem in self.problems if problem.unidentifiable)

    def problem(self, identifier: str) -> Problem:
        """The problem of that id."""
        for problem in self.problems:
            if problem.id == identifier:
                return problem
        known = ", ".join(problem.id for problem in self.problems)
        raise InvalidSettings(f"suite {self.name} has no problem {identifier!r}; it has {known}")


def column_names(num_columns: int) -> tuple[str, ...]:
    """The names x0, x1, ... that formulas use."""
    return tuple(f"x{index}" for index in range(num_columns))


def with_noise(sample: Sample, level: float, kind: NoiseKind, rng: np.random.Generator) -> Sample:
    """The sample with Gaussian noise on its target.

    additive: N(0, level x RMS(y)) is added, with the RMS of each group where there are groups;
    multiplicative: each target is multiplied by 1 + N(0, level).
    """
    normal = rng.standard_normal(sample.num_rows)
    if kind == "multiplicative":
        return replace(sample, target=sample.target * (1.0 + level * normal))
    return replace(sample, target=sample.target + level * _root_mean_squares(sample) * normal)


def _root_mean_squares(sample: Sample) -> Floats | float:
    """Of the target, or of that of each row's group, which is a table of its own."""
    if sample.groups is None:
        return _root_mean_square(sample.target)
    by_group = [_root_mean_square(sample.target[sample.groups == group]) for group in np.unique(sample.groups)]
    return np.array(by_group)[sample.groups]


def _root_mean_square(target: Floats) -> float:
    # Targets reach 1e-38 and 1e38: scaling by the largest keeps the squares inside float64.
    largest = np.abs(target).max()
    return float(largest * np.sqrt(np.mean((target / largest) ** 2))) if largest > 0 else 0.0
