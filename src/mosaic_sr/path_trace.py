"""Where the search paths stood after each round: the law that a path on its own would have led to."""

from __future__ import annotations

import math
from typing import Any

from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.fitting import spans_decades
from mosaic_sr.front import Front
from mosaic_sr.pipeline import SearchConfig, finish
from mosaic_sr.refinement import Paths
from mosaic_sr.refinement.path import Path
from mosaic_sr.selection import Validator, select
from mosaic_sr.table import Table


class PathTrace:
    """Keeps the paths of every round; what they had found is worked out when it is asked for."""

    def __init__(self, table: Table, config: SearchConfig, names: tuple[str, ...]) -> None:
        self._table, self._config, self._names = table, config, names
        self._validator = Validator(table, config.selection)
        self._finished: dict[bytes, Equation] = {}
        self._rounds: list[Paths] = []

    def note(self, paths: Paths) -> None:
        """Keep the paths as they stand."""
        self._rounds.append(paths)

    def entries(self) -> tuple[dict[str, Any], ...]:
        """One for each round and path that has a law.

        `path` counts from 0, best start first; `steps` are those made by then; `equation`, `validation_nmse` and
        `operators` are of its law as it would be printed.
        """
        edits = self._config.refinement.path.edits_per_round
        return tuple(
            {
                "path": place,
                "steps": paths.num_rounds * edits,
                "equation": law.text(),
                "validation_nmse": law.validation.nmse,
                "operators": law.num_operators,
            }
            for paths in self._rounds
            for place, path in enumerate(paths.paths)
            if (law := self._law(path)) is not None
        )

    def _law(self, path: Path) -> Equation | None:
        """The choice among what the path has found, made and written as for the whole search."""
        rows = self._validator.table.training
        found = [path.bests.expression(int(size)) for size in path.bests.front()]
        names = self._table.names
        equations = [Equation(own, names, measure(own, rows), UNKNOWN, path.found_by) for own in found]
        front = Front(is_wide=spans_decades(rows)).merged(map(self._validator.validated, equations))
        law = select(front.equations, self._validator.table, self._config.selection)
        return None if law is None else self._written(law)

    def _written(self, law: Equation) -> Equation:
        """The law as a person would write it; most paths stand at the same law for rounds."""
        key = law.expression.key
        if key not in self._finished:
            written = finish(law, self._table, self._config, self._names)
            self._finished[key] = written if math.isfinite(written.validation.nmse) else law
        return self._finished[key]
