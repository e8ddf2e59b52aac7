"""Rounds: what is known after each round of a search, and the law so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from mosaic_sr.decision import MOST_WEIGHED, Decision, FirstLaws, SoFar
from mosaic_sr.equation import Equation, in_column_units, in_table_units, measure
from mosaic_sr.evidence import Pool
from mosaic_sr.evidence.given_units import UnitBits
from mosaic_sr.expressions.expression import Expression, num_operators
from mosaic_sr.expressions.text import to_text
from mosaic_sr.fitting import spans_decades
from mosaic_sr.front import Front
from mosaic_sr.presets import SearchConfig
from mosaic_sr.proposal import Coverage
from mosaic_sr.refinement import Paths
from mosaic_sr.selection import (
    Repairs,
    Tidying,
    Validator,
    Weighed,
    has_only_simple_constants,
    may_matter,
    select,
)
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Rows, Table


@dataclass(frozen=True)
class Snapshot:
    """What is known after a round; laws are in the table's units, and `Tidying` prepares the last one for the user.

    On noisy rows `law` is a rough choice: at the end, and before a search is decided, the pool is weighed.

    assigned, refined: candidates tried by the stages.  candidates: the best of each size on the search rows.
    paths: the positions of the search paths; None before refinement, and then the search cannot be resumed.
    notes: for the user, about how proposers read the table, one sentence each.
    num_forms, covered_bits: the enumeration has tried all forms of up to so many bits.  num_sums: and so many sums.
    listed_over: what columns make together, as text, where forms over it were tried; empty where over columns alone.
    is_decided: whether more search on noisy rows would not change the law.
    outliers: places of the training rows, and behind them validation rows, that the search has left out.
    decoded_operators: operators of the most probable sketch of the learned prior; None if it has not run.
    """

    stage: str
    round: int
    assigned: int
    refined: int
    candidates: Front
    front: Front
    law: Equation | None
    pool: Pool = field(default_factory=Pool)
    paths: Paths | None = None
    notes: tuple[str, ...] = ()
    decoded_operators: int | None = None
    outliers: tuple[int, ...] = ()
    num_forms: int = 0
    covered_bits: float = 0.0
    num_sums: int = 0
    listed_over: tuple[str, ...] = ()
    is_decided: bool = False

    @property
    def evaluations(self) -> int:
        """Candidates tried so far."""
        return self.assigned + self.refined


class Rounds:
    """Front, counters and the law so far of one search."""

    def __init__(
        self,
        config: SearchConfig,
        resume: Snapshot | None,
        tidying: Tidying,
        is_interrupted: Callable[[], bool],
    ) -> None:
        self._config, self._weighing = config, tidying.weighing
        self._tidying, self._is_interrupted = tidying, is_interrupted
        self._first_laws = FirstLaws(tidying.weighing, config.selection.limits, is_interrupted)
        self._walked, self._unit_bits = 0, UnitBits(config.selection.limits)
        # Without paths a snapshot cannot be gone on from, and nothing of it counts.
        empty = Snapshot("start", 0, 0, 0, Front(), Front(), None)
        self._last = resume if resume is not None and resume.paths is not None else empty

    def read(self, table: Table, rows: Rows, outliers: tuple[int, ...]) -> None:
        """Take a table without its outliers; what was found on other rows is forgotten, but not that it was tried."""
        self._rows, self._validator = rows, Validator(table, self._config.selection)
        self._settled: dict[bytes, bool] = {}
        self._admitted: dict[bytes, bool] = {}
        self._repairs = Repairs(self._config.selection.limits, rows)
        self._num_walks = self._num_additions = 0
        last = self._last
        if last.paths is None:
            empty = Front(is_wide=spans_decades(table.training))
            counts = last.round, last.assigned, last.refined
            self._last = Snapshot("start", *counts, empty, empty, last.law, outliers=outliers)
        adds_terms = "additions" not in self._config.proposal.without
        self._decision = Decision(self._weighing, self._first_laws, adds_terms, self._last.is_decided)

    def outliers(self) -> tuple[int, ...]:
        """Places of rows that are outliers by what is known so far; none of a law that agrees with all rows."""
        if not self._is_noisy:
            return ()
        last = self._last
        return tuple(np.flatnonzero(self._weighing.outliers(last.pool.equations[:MOST_WEIGHED])).tolist())

    def snapshot(
        self,
        stage: str,
        equations: Sequence[Equation],
        *,
        evaluations: int = 0,
        in_refinement: int = 0,
        paths: Paths | None = None,
        notes: Sequence[str] = (),
        decoded: Sequence[Sketch] = (),
        coverage: Coverage | None = None,
    ) -> Snapshot:
        """The snapshot after a round that found `equations`."""
        last, admitted = self._last, self.admitted(equations)
        candidates = last.candidates.merged(admitted)
        pool = last.pool.merged(admitted, self._rows, self._unit_bits)
        worthy = [one for one in candidates.contenders() if may_matter(one, last.law, self._config.selection)]
        # A fit to more rows may bring a number back that was as good as one.
        validated = self.admitted([self._validator.validated(one) for one in worthy])
        front, law = self._selected(last.front.merged(validated))
        self._last = Snapshot(
            stage=stage,
            round=last.round + 1,
            assigned=last.assigned + evaluations,
            refined=max(last.refined, self._walked + in_refinement),
            candidates=candidates,
            front=front,
            law=law,
            pool=pool,
            paths=paths,
            notes=tuple(notes) or last.notes,
            outliers=last.outliers,
            is_decided=last.is_decided,
            num_forms=last.num_forms if coverage is None else coverage.num_forms,
            covered_bits=last.covered_bits if coverage is None else coverage.bits,
            num_sums=last.num_sums if coverage is None else coverage.num_sums,
            listed_over=last.listed_over if coverage is None else self._texts(coverage.over),
            decoded_operators=num_operators(decoded[0].expression) if decoded else last.decoded_operators,
        )
        if coverage is not None:
            self._num_additions = coverage.num_additions
            self._weighing.see_joined(coverage.over)
        is_decided = self._decide()
        self._last = replace(self._last, is_decided=is_decided, pool=self._with_made(pool))
        return self._last

    def _with_made(self, pool: Pool) -> Pool:
        """The pool with the laws that were made of its first ones when they were judged."""
        made, self._first_laws.made = self._first_laws.made, []
        return pool.merged(self.admitted([self._as_equation(one) for one in made]), self._rows, self._unit_bits)

    def _as_equation(self, made: Weighed) -> Equation:
        """A law over the table's columns in the user's units as an equation in the table's units."""
        table = self._validator.table
        law = in_table_units(made.judged.expression.renamed(table.used), table)
        errors, validation = measure(law, self._rows), measure(law, table.validation)
        return Equation(law, table.names, errors, validation, found_by=made.equation.found_by)

    def _texts(self, quantities: Sequence[Expression]) -> tuple[str, ...]:
        return tuple(to_text(quantity, self._validator.table.names) for quantity in quantities)

    def _selected(self, front: Front) -> tuple[Front, Equation | None]:
        """The law of a front, and the front without equations that a proof has shown to break a constraint."""
        table, limits = self._validator.table, self._config.selection.limits
        law = select(front.equations, table, self._config.selection)
        while law is not None and limits.rules.placed and limits.refute(in_column_units(law, table).expression):
            refuted = law.expression
            front = replace(front, equations=tuple(one for one in front.equations if one.expression != refuted))
            law = select(front.equations, table, self._config.selection)
        return front, law

    def repaired(self, equations: Sequence[Equation]) -> list[Equation]:
        """The equations, and near those that break a constraint others that break none."""
        if not self._config.selection.limits.rules.placed:
            return list(equations)
        return [*equations, *self._repairs.of([one for one in equations if not self._admits(one)])]

    def admitted(self, equations: Sequence[Equation]) -> list[Equation]:
        """Those that are within the user's limits: no other is the law, in the front or the start of a path."""
        costs, admitted = self._config.selection.limits.costs, [one for one in equations if self._admits(one)]
        return admitted if costs.are_plain else [replace(one, costs=costs) for one in admitted]

    def _admits(self, equation: Equation) -> bool:
        limits, key = self._config.selection.limits, equation.expression.key
        if limits.are_open:
            return True
        if key not in self._admitted:
            self._admitted[key] = limits.admit(equation, self._validator.table)
        return self._admitted[key]

    def notes_on(self, guesses: Sequence[Equation]) -> Iterator[str]:
        """How each of the user's formulas does once it is fitted; most of them do not stay in the front."""
        own = [guess for guess in guesses if guess.found_by == "guesses"]
        for guess in map(self._validator.validated, own):
            shown = in_column_units(guess, self._validator.table).text(precision=6)
            verdict = "" if self._admits(guess) else f"; not in the front, because {self._why_not(guess)}"
            loss, validation = guess.training.nmse, guess.validation.nmse
            yield f"guess {shown}: loss {loss:.4g}, validation loss {validation:.4g}{verdict}"

    def _why_not(self, guess: Equation) -> str:
        limits = self._config.selection.limits
        if not limits.may_have_units(guess.expression):
            return "its units do not fit"
        usual = "it exceeds maxsize or uses operators that are not allowed"
        return f"{usual}, or it breaks a constraint" if limits.have_wishes else usual

    def begin_walk(self, paths: Paths) -> None:
        """Count what these paths try from now on beside what others have tried."""
        self._walked = self._last.refined - paths.num_screened
        self._num_walks += 1

    @property
    def has_law(self) -> bool:
        return self._last.law is not None

    @property
    def likeliest(self) -> Sequence[Equation]:
        """The distinct structures so far, the most probable first, roughly."""
        return self._last.pool.equations

    @property
    def is_exact(self) -> bool:
        """Whether nothing is left to explain: the law, as it would be told, is exact."""
        law = self._last.law
        if law is None or not law.agrees or not self._config.stops_when_exact:
            return False
        return self._tidying.tidied(law, self._is_interrupted).is_exact

    def is_noise_left(self) -> bool:
        """Whether no smooth function explains noisy rows better than the most probable law."""
        if not self._is_noisy:
            return False
        weighed = self._weighing.weighed(self._last.pool.equations[:MOST_WEIGHED])
        return bool(weighed) and self._weighing.is_noise_left(weighed[0].judged)

    def is_improbable(self) -> bool:
        """Whether the most probable law so far is less probable than all others together."""
        return self._decision.is_open(self._last.pool, self._last.covered_bits)

    @property
    def is_decided(self) -> bool:
        """Whether more search on noisy rows would not change the law."""
        return self._last.is_decided

    def _decide(self) -> bool:
        """Whether noisy rows have decided, judged anew if anything was tried since the last time."""
        if self._is_noisy and self._config.stops_when_exact:
            last = self._last
            num_last = 0 if last.paths is None else last.paths.num_rounds // self._config.refinement.rounds_per_turn
            so_far = SoFar(
                last.num_forms, last.num_sums, self._num_additions, last.covered_bits, self._num_walks, num_last
            )
            self._decision.judge(last.pool, so_far)
        return self._decision.is_made

    @property
    def _is_noisy(self) -> bool:
        law = self._last.law
        return law is not None and not law.agrees and self._config.selection.model_selection == "best"

    @property
    def is_finished(self) -> bool:
        """Whether the budget is spent, or nothing is left to explain and no proposer can say it in simpler numbers."""
        if self._last.evaluations >= self._config.max_evaluations:
            return True
        law = self._last.law
        return self.is_exact and law is not None and self._has_only_simple_constants(law)

    def _has_only_simple_constants(self, law: Equation) -> bool:
        key = law.expression.key
        if key not in self._settled:
            self._settled[key] = has_only_simple_constants(law, self._validator.table, self._config.selection)
        return self._settled[key]
