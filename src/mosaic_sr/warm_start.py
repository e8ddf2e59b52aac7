"""What a fit with `warm_start` goes on from: the fit before it, or the search in its output folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sklearn.utils import check_random_state

from mosaic_sr.equation import in_table_units
from mosaic_sr.outcome import Outcome
from mosaic_sr.pipeline import SearchConfig, Snapshot
from mosaic_sr.preparation import Prepared, Problem, draw_seeds
from mosaic_sr.run_folder import Identity, RunFolder
from mosaic_sr.settings import with_guesses


@dataclass(frozen=True)
class Memory:
    """What a fit with `warm_start` keeps for the next fit."""

    identity: Identity
    last: Snapshot


@dataclass(frozen=True)
class Before:
    """What an estimator has when a fit begins; memory, outcome: of the fit before, None where there is none."""

    is_warm: bool
    memory: Memory | None
    outcome: Outcome | None
    folder: RunFolder | None

    def seeds(self, random_state: Any) -> tuple[int, ...]:
        """Seeds of this fit; without a random state those of the search that is gone on from."""
        if self.is_warm and random_state is None:
            if self.memory is not None:
                return tuple(self.memory.identity.seeds)
            if self.folder is not None and self.folder.has_state:
                return self.folder.read_kept().identity.seeds
        return draw_seeds(check_random_state(random_state))

    def start(self, prepared: Prepared) -> tuple[SearchConfig, Snapshot | None]:
        """The settings and the snapshot that the search goes on from, as the estimator describes it."""
        config, problem, folder = prepared.config, prepared.problem, self.folder
        if not self.is_warm:
            if folder is not None and folder.is_cut_off(prepared.identity):
                raise folder.refusal("warm_start=True")
            return config, None
        if self.memory is not None and self.memory.identity == prepared.identity:
            last = self.memory.last
            return replace(config, max_evaluations=config.max_evaluations + last.evaluations), last
        if self.outcome is not None:
            return with_guesses(config, _known_equations(self.outcome, problem)), None
        if folder is not None and folder.has_state:
            return config, folder.read_snapshot(prepared.identity, problem.table, config.refinement)
        return config, None


def _known_equations(outcome: Outcome, problem: Problem) -> list[Any]:
    """The front of an earlier fit as formulas of this table, where it has as many columns and uses those needed."""
    if len(outcome.names) != len(problem.names):
        return []
    used = set(problem.table.used)
    expressions = [equation.expression for equation in (outcome.law, *outcome.front)]
    return [in_table_units(known, problem.table) for known in expressions if used.issuperset(known.columns)]
