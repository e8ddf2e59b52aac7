"""Where the search paths stood after each round: the laws that fewer paths or rounds would have led to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from mosaic_sr.equation import UNKNOWN, Equation, measure
from mosaic_sr.fitting import spans_decades
from mosaic_sr.front import Front
from mosaic_sr.pipeline import SearchConfig
from mosaic_sr.refinement import Paths
from mosaic_sr.refinement.path import Path
from mosaic_sr.selection import Validator, select, tidy
from mosaic_sr.table import Table


class PathTrace:
    """Keeps the paths of every round; what they had found is worked out when it is asked for."""

    def __init__(self, table: Table, config: SearchConfig, names: tuple[str, ...]) -> None:
        self._table, self._config, self._names = table, config, names
        self._validator = Validator(table, config.selection)
        self._written: dict[bytes, Equation] = {}
        self._rounds: list[Paths] = []

    def note(self, paths: Paths) -> None:
        """Keep the paths as they stand."""
        self._rounds.append(paths)

    def entries(self) -> tuple[dict[str, Any], ...]:
        """For each round, the paths whose law all earlier paths together have not reached.

        These decide what the first so many paths lead to; writing the laws of the others takes most of the time.
        `path` counts from 0, best start first; `steps` are those made by then; `equation`, `validation_nmse` and
        `operators` are of the path's law as it would be printed.
        """
        steps = self._config.refinement.path.trials_per_round
        return tuple(
            {
                "path": place,
                "steps": paths.num_rounds * steps,
                "equation": law.text(),
                "validation_nmse": law.validation.nmse,
                "operators": law.num_operators,
            }
            for paths in self._rounds
            for place, law in self._leaders(paths)
        )

    def _leaders(self, paths: Paths) -> Iterator[tuple[int, Equation]]:
        """The paths that are ahead of all before them, with their laws."""
        leader: Equation | None = None
        for place, path in enumerate(paths.paths):
            law = self._law(path)
            if law is not None and (leader is None or self._is_ahead(law, leader)):
                leader = law
                yield place, self._as_printed(law)

    def _is_ahead(self, law: Equation, leader: Equation) -> bool:
        chosen = self._chosen([leader, law])
        return chosen is not None and chosen.expression != leader.expression

    def _law(self, path: Path) -> Equation | None:
        """The choice among what the path has found, as the whole search makes it."""
        rows, names = self._validator.table.training, self._table.names
        found = [path.bests.expression(int(size)) for size in path.bests.front()]
        equations = [Equation(own, names, measure(own, rows), UNKNOWN, path.found_by) for own in found]
        front = Front(is_wide=spans_decades(rows)).merged(map(self._validator.validated, equations))
        return self._chosen(front.equations)

    def _chosen(self, equations: Sequence[Equation]) -> Equation | None:
        """The law among some equations, without the ties, which nobody reads here."""
        law = select(equations, self._validator.table, self._config.selection)
        return None if law is None else replace(law, ties=())

    def _as_printed(self, law: Equation) -> Equation:
        key = law.expression.key
        if key not in self._written:
            self._written[key] = tidy(law, self._table, self._config.selection, self._names)
        return self._written[key]
