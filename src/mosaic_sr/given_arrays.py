"""What a user hands to `fit`, made into the problem of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mosaic_sr.fitted_law import with_text_names
from mosaic_sr.preparation import Problem
from mosaic_sr.requirements import given_rows
from mosaic_sr.table import Table
from mosaic_sr.table.checks import target_name_beside
from mosaic_sr.table.indicators import Indicators, indicator_notes, with_indicators


@dataclass(frozen=True)
class GivenArrays:
    """Columns, target and what is said about their rows; X has text names, y one target.

    beside: sigma, x_sigma and sides, as `Table.from_arrays` reads them.
    """

    X: Any
    y: Any
    weights: Any
    validation: Any
    beside: Mapping[str, Any]
    indicators: Indicators

    def problem(self, names: Sequence[str] | None, has_constraints: bool, rng: np.random.Generator) -> Problem:
        """The problem of these rows; names: the user's, None where he gives none; rng: shares out the rows.

        Without names the columns are still to be named.
        """
        table = Table.from_arrays(
            self.X, self.y, rng=rng, names=names, target_name=target_name_beside(self.X, self.y),
            weights=self.weights, validation=self._named_validation(), **self.beside,
        )  # fmt: skip
        table = replace(table, notes=(*table.notes, *indicator_notes(self.indicators)))
        given = None
        if has_constraints:
            given = given_rows(self.X, self.y, self.beside.get("sigma"), self.beside.get("sides"))
        return Problem(table, tuple(names or ()), is_named=names is not None, given=given, indicators=self.indicators)

    def _named_validation(self) -> Any:
        given = self.validation
        if not isinstance(given, tuple | list) or not given:
            return given
        return (with_text_names(with_indicators(given[0], self.indicators)), *given[1:])
