"""The course of a search with a template: smooth functions show what each unknown looks like, the ordinary search finds
candidates for each, and combinations of them are fitted together; then one unknown after the other is searched again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.budget import heed_stop, until_stopped
from mosaic_sr.equation import Equation
from mosaic_sr.evidence import Noise
from mosaic_sr.expressions.expression import Expression, constant
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import spans_decades
from mosaic_sr.front import Front
from mosaic_sr.pipeline import SearchConfig, Snapshot
from mosaic_sr.table import Table
from mosaic_sr.template_form import Template
from mosaic_sr.templates.filling import Filled
from mosaic_sr.templates.forms import first_forms
from mosaic_sr.templates.part_search import MOST_CONSTANTS, NUM_FORMS, Found, part_config, search_part
from mosaic_sr.templates.scales import ExactScale, NoisyScale, Scale, Weighed
from mosaic_sr.templates.simplifying import simplified
from mosaic_sr.templates.smooth_parts import Smooth, fit_smooth_parts
from mosaic_sr.templates.targets import wanted_values
from mosaic_sr.templates.workshop import Tried, Workshop

Floats = NDArray[np.float64]

# Rows to which candidates are fitted, and to which smooth functions are.
SEARCH_ROWS = 300
# Levels of effort, from seconds to a minute.
LEVELS = 3
# Combinations of candidates that are fitted together after the unknowns were searched.
MOST_COMBINATIONS = (150, 250, 400)
# Combinations of small forms of all unknowns, those of fewest bits in all, and how many forms of each unknown.
SMALL_COMBINATIONS, SMALL_FORMS = (300, 900, 2500), (40, 80, 160)
SMALL_CONSTANTS = 3
# Laws from which one unknown after the other is searched again, and how often.
NUM_LEADERS, MOST_PASSES = (1, 2, 2), (1, 3, 3)
# A pass that makes the best law hardly more probable is the last one.
LEAST_GAIN = 1.0
# Numbers from which a template starts that has no value for drawn ones.
STARTS = (1.0, 0.1, -1.0, 2.0)
# Laws that are kept: the probability of those behind them is nothing beside that of the first.
MOST_KEPT = 60
# A law of this probability is not searched further.
CERTAIN = 0.9
# Laws that are fitted to all rows after each round.
NUM_SHOWN = 4
# Residuals below this share of the target's spread are rounding.
CLEAN = 1e-8
# Signs of life between two looks at the clock.
TRIALS_PER_ROUND = 40


@dataclass(frozen=True, eq=False)
class Ended:
    """What a search ends with: the laws that are told, the best first, and the scale on which they were compared."""

    laws: tuple[Weighed, ...]
    is_exact: bool


class TemplateSearch:
    """One search for the unknowns of a template."""

    def __init__(self, template: Template, table: Table, config: SearchConfig) -> None:
        assert config.template is not None
        self.template, self._table, self._config = template, table, config
        self.workshop = Workshop(template, config.template, table, config.selection, SEARCH_ROWS)
        self._tried: dict[tuple[bytes, ...], Tried] = {}
        self._equations: dict[tuple[bytes, ...], tuple[Filled, Equation]] = {}
        self._exact: Weighed | None = None
        self._first: list[Tried] = []
        self._evaluations, self._round = 0, 0
        self._front = Front(is_wide=spans_decades(table.training))
        self._smooth: list[Smooth] = []
        self.covered_bits, self.is_decided = 0.0, False

    def discover(self, rng: np.random.Generator, is_interrupted: Callable[[], bool]) -> Generator[Snapshot, None, None]:
        """Yield a snapshot per round; the last one holds the law."""

        def may_stop() -> bool:
            return bool(self._tried) and is_interrupted()

        yield from until_stopped(self._rounds(rng, may_stop), may_stop)

    def _rounds(self, rng: np.random.Generator, is_interrupted: Callable[[], bool]) -> Iterator[Snapshot]:
        num_unknowns = len(self.template.unknowns)
        start = Filled((constant(math.nan),) * num_unknowns, (math.nan,) * len(self.template.constants), "start")
        self._try(start)
        for value in STARTS if not self._tried else ():
            self._try(start.with_values(np.full(len(start.values), value)))
        self._first = list(self._tried.values())
        yield self._snapshot("start")
        if not num_unknowns:
            return
        for level in range(LEVELS):
            for_smooth, for_passes = rng.spawn(2)
            yield from self._small_forms(level)
            if self._is_done():
                return
            yield from self._from_smooth(level, for_smooth, is_interrupted)
            if self._is_done() or self._is_certain():
                return
            yield from self._again(level, for_passes, is_interrupted)
            if self._is_done() or self._is_settled():
                return

    # What each round tries.

    def _small_forms(self, level: int) -> Iterator[Snapshot]:
        """Small forms of all unknowns together, those of fewest bits first."""
        before = SMALL_COMBINATIONS[level - 1] if level else 0
        lists = [
            first_forms(arity, limits, SMALL_CONSTANTS, SMALL_FORMS[level], needs_all=True)
            for arity, limits in zip(self.template.arities, self.workshop.limits, strict=True)
        ]
        places = product(*(range(len(forms)) for forms in lists))
        ordered = sorted(places, key=lambda chosen: sum(lists[u][place][0] for u, place in enumerate(chosen)))
        constants = (math.nan,) * len(self.template.constants)
        trials = []
        for chosen in ordered[before : SMALL_COMBINATIONS[level]]:
            parts = tuple(lists[unknown][place][1] for unknown, place in enumerate(chosen))
            trials.append(Filled(parts, constants, "enumeration"))
        yield from self._try_all(trials, "enumeration")

    def _from_smooth(
        self, level: int, rng: np.random.Generator, is_interrupted: Callable[[], bool]
    ) -> Iterator[Snapshot]:
        """Candidates for each unknown from smooth functions in the places of all, and their combinations."""
        for_fit, *for_parts = rng.spawn(1 + len(self.template.unknowns))
        if not self._smooth:
            self._smooth = fit_smooth_parts(self.template, self.workshop.rows, self.workshop.signs, for_fit)
            yield self._snapshot("smooth")
        for smooth in self._smooth[level : level + 1] or self._smooth[:1]:
            lists = []
            for unknown, own in enumerate(for_parts):
                found = yield from self._searched(unknown, smooth.slots, smooth.constants, level, own, is_interrupted)
                lists.append(found or [constant(math.nan)])
            start = tuple(smooth.constants.tolist())
            yield from self._try_all(_combined(lists, start, MOST_COMBINATIONS[level]), "smooth")
            self.covered_bits = self._covered()

    def _covered(self) -> float:
        """Bits up to which all forms of each unknown were tried on its own table, those of all unknowns together."""
        pairs = zip(self.template.arities, self.workshop.limits, strict=True)
        lists = [first_forms(arity, limits, MOST_CONSTANTS, NUM_FORMS) for arity, limits in pairs]
        return sum(forms[-1][0] for forms in lists if forms)

    def _again(self, level: int, rng: np.random.Generator, is_interrupted: Callable[[], bool]) -> Iterator[Snapshot]:
        """One unknown after the other, the others as they are in the best laws so far."""
        for own in rng.spawn(MOST_PASSES[level]):
            before = self._best_score
            leaders = self._leaders(NUM_LEADERS[level])
            for leader, chance in zip(leaders, own.spawn(len(leaders)), strict=True):
                for unknown, each in enumerate(chance.spawn(len(self.template.unknowns))):
                    slots, constants = self._slots(leader.filled), np.array(leader.filled.constants)
                    found = yield from self._searched(unknown, slots, constants, level, each, is_interrupted)
                    trials = [leader.filled.with_part(unknown, part, "template") for part in found]
                    yield from self._try_all(trials, "parts")
                    if self._is_done():
                        return
            if len(self.template.unknowns) == 1 or self._best_score < before + LEAST_GAIN:
                return

    def _searched(
        self,
        unknown: int,
        slots: Floats,
        constants: Floats,
        level: int,
        rng: np.random.Generator,
        is_interrupted: Callable[[], bool],
    ) -> Generator[Snapshot, None, list[Expression]]:
        """Candidates for an unknown, given what stands in all slots."""
        rows = self.workshop.rows
        rounding = self._table.target_resolution.quantum(rows.target)
        wanted = wanted_values(self.template, unknown, rows, slots, constants, rounding)
        if wanted is None:
            return []
        noise = self._noise()
        config = part_config(self._config, self.workshop.limits[unknown], level, noise is None)
        search = search_part(wanted, noise, config, rng, is_interrupted)
        found = yield from self._shown_alive(search)
        self._evaluations += found.evaluations
        return found.parts

    def _shown_alive(self, search: Generator[None, None, Found]) -> Generator[Snapshot, None, Found]:
        """What a search returns, with a snapshot after each of its signs of life."""
        while True:
            try:
                next(search)
            except StopIteration as ended:
                found: Found = ended.value
                return found
            heed_stop()
            yield self._snapshot("parts", is_heartbeat=True)

    def _noise(self) -> Floats | None:
        """The standard deviation of the target about the law, as far as it is known: (rows,); None if it is rounding.

        Where one unknown is all that is not known, its table is as exact as the rows are.
        """
        if len(self.template.unknowns) == 1 and not self.template.constants and len(self.template.slots) == 1:
            return None
        rows = self.workshop.rows
        loss = min([1.0, *(one.errors.nmse for one in self._leaders(1)), *(one.loss for one in self._smooth[:1])])
        if loss < CLEAN**2:
            return None
        if spans_decades(rows):
            return np.asarray(np.abs(rows.target) * math.sqrt(loss))
        return np.full(rows.num_rows, float(np.std(rows.target)) * math.sqrt(loss))

    def _slots(self, filled: Filled) -> Floats:
        """The values of the parts in all slots: (slots, rows)."""
        found = []
        for slot in self.template.slots:
            arguments = [evaluate_expression(each, self.workshop.rows.columns) for each in slot.arguments]
            found.append(evaluate_expression(filled.parts[slot.unknown], np.array(arguments)))
        return np.array(found)

    # What has been found.

    def _try_all(self, trials: Sequence[Filled], stage: str) -> Iterator[Snapshot]:
        for place, filled in enumerate(trials):
            self._try(filled)
            if place % TRIALS_PER_ROUND == TRIALS_PER_ROUND - 1:
                yield self._snapshot(stage)
                if self._is_done():
                    return
        yield self._snapshot(stage)

    def _try(self, filled: Filled) -> None:
        heed_stop()
        self._evaluations += 1
        values = filled.values
        is_drawn = np.isnan(values)
        # Numbers of a form stay as they are; those that a search of a part has found are fitted on.
        tried = self.workshop.tried(filled, is_drawn if is_drawn.any() else None)
        if not np.isfinite(tried.errors.nmse) or not self.workshop.may_admit(tried.filled):
            return
        known = self._tried.get(filled.structure)
        if known is None or tried.score > known.score:
            self._tried[filled.structure] = tried
            self._equations.pop(filled.structure, None)
        if len(self._tried) > 2 * MOST_KEPT:
            self._tried = {one.filled.structure: one for one in self._leaders(MOST_KEPT)}

    def _leaders(self, count: int) -> list[Tried]:
        return sorted(self._tried.values(), key=lambda one: -one.score)[:count]

    @property
    def _best_score(self) -> float:
        return max((one.score for one in self._tried.values()), default=-math.inf)

    def _shown(self) -> list[tuple[Filled, Equation]]:
        """The best laws so far, fitted to all training rows."""
        for tried in self._leaders(NUM_SHOWN):
            key = tried.filled.structure
            if key not in self._equations:
                self._equations[key] = self.workshop.equation(tried.filled)
        return [self._equations[one.filled.structure] for one in self._leaders(NUM_SHOWN)]

    def _is_done(self) -> bool:
        """Whether the law is exact, or the budget is spent."""
        if self._evaluations >= self._config.max_evaluations:
            return True
        if not self._config.stops_when_exact:
            return False
        return self._exact is not None and self._exact.law is not None and self._exact.law.is_exact

    def _is_settled(self) -> bool:
        """Whether a smooth function explains noisy rows no better than the most probable law."""
        weighed = self._weighed(self._leaders(NUM_SHOWN))
        if not weighed or weighed[0].judged is None:
            return False
        self.is_decided = self.workshop.weighing.is_noise_left(weighed[0].judged)
        return self.is_decided

    def _is_certain(self) -> bool:
        """Whether, besides, the most probable law is as good as certain among those tried so far."""
        weighed = self._weighed(self._leaders(MOST_KEPT)) if self._is_settled() else []
        judged = [one.judged for one in weighed if one.judged is not None]
        laws = self.workshop.weighing.distinct(judged)
        self.is_decided = bool(laws) and self.workshop.weighing.probabilities(laws, self.covered_bits)[0] >= CERTAIN
        return self.is_decided

    def _weighed(self, tried: Sequence[Tried]) -> list[Weighed]:
        scale = self._noisy_scale()
        found = [scale.weigh(one.filled) for one in tried]
        return sorted((one for one in found if one is not None), key=lambda one: -one.score)

    def _noisy_scale(self) -> NoisyScale:
        laws = [law for _, law in self._shown()]
        noise: Noise = self.workshop.weighing.noise_of(laws)
        return NoisyScale(self.workshop, noise)

    def _snapshot(self, stage: str, is_heartbeat: bool = False) -> Snapshot:
        self._round += 1
        shown = self._shown() if not is_heartbeat else []
        self._front = self._front.merged(law for _, law in shown)
        for filled, law in shown:
            if law.agrees and self._exact is None:
                simplest = self._simplest(filled)
                if simplest is not None and self.workshop.admits(simplest.filled):
                    self._exact = simplest
        best = [law for _, law in self._shown()[:1]]
        found = self._exact.law if self._exact is not None else next(iter(best), None)
        return Snapshot(
            stage, self._round, self._evaluations, 0, self._front, self._front, found,
            covered_bits=self.covered_bits, is_decided=self.is_decided,
        )  # fmt: skip

    def _simplest(self, filled: Filled) -> Weighed | None:
        """A law that agrees, without what it can do without."""
        scale: Scale = ExactScale(self.workshop)
        start = scale.weigh(filled)
        return None if start is None else simplified(start, scale, lambda: False)

    # What the search ends with.

    def shown_laws(self) -> list[tuple[Filled, Equation]]:
        """The laws that no simpler one of the template beats, fitted to all training rows."""
        leaders = [one.filled for one in self._leaders(MOST_KEPT) if self.workshop.admits(one.filled)]
        found = [self.workshop.equation(filled) for filled in leaders]
        front = Front(is_wide=self._front.is_wide).merged(law for _, law in found).pareto()
        kept = {law.expression.key for law in front}
        return [(filled, law) for filled, law in found if law.expression.key in kept]

    def ended(self, most: int, is_interrupted: Callable[[], bool]) -> Ended:
        """The laws that are told."""
        if self._exact is not None:
            return Ended((self._exact,), is_exact=True)
        scale = self._noisy_scale()
        weighed = self._weighed(self._leaders(MOST_KEPT))
        if not self.template.unknowns:
            return Ended(tuple(weighed), is_exact=False)
        simple = [simplified(one, scale, is_interrupted) for one in weighed[:most]]
        ordered = sorted([*simple, *weighed], key=lambda one: -one.score)
        admitted = [one for one in ordered if self.workshop.admits(one.filled)]
        # What has a number in the place of each unknown is within all limits.
        return Ended(tuple(admitted or self._weighed(self._first)), is_exact=False)


def _combined(lists: Sequence[Sequence[Expression]], constants: tuple[float, ...], most: int) -> list[Filled]:
    """Combinations of candidates, those that are first in all lists before others."""
    places = sorted(product(*(range(len(parts)) for parts in lists)), key=lambda chosen: (sum(chosen), chosen))
    return [
        Filled(tuple(parts[place] for parts, place in zip(lists, chosen, strict=True)), constants)
        for chosen in places[:most]
    ]
