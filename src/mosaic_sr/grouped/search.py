"""The search for one law of all groups: some are searched alone, and what they visit is judged on all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np
from threadpoolctl import threadpool_limits

from mosaic_sr.budget import Clock, Stopped, listening
from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.expression import constant
from mosaic_sr.expressions.text import to_text
from mosaic_sr.grouped.candidates import START, visited_forms
from mosaic_sr.grouped.closeness import closeness_of
from mosaic_sr.grouped.fitted import FittedForm, distinct_forms
from mosaic_sr.grouped.forms import Form
from mosaic_sr.grouped.joint import MOST_SIMPLIFIED, JointForms
from mosaic_sr.grouped.problem import GroupedProblem
from mosaic_sr.grouped.wishes import Wishes
from mosaic_sr.kernel.jit import COMPILATION, compile_beside
from mosaic_sr.pipeline import SearchConfig, Snapshot, discover
from mosaic_sr.preparation import Prepared, Problem, prepare
from mosaic_sr.progress import Observer, print_compilation
from mosaic_sr.settings import SearchOptions

# Groups that are searched alone: two, and more where the last one has brought a better law.
LEAST_LEADS, MOST_LEADS = 2, 4
# Groups of fewer rows say little alone: all rows are then searched together, first.
FEW_ROWS = 20
# A brief search of noisy rows has tried so many forms, and its paths have had a turn: which form is right the rows of
# all groups tell better than more search on those of one.
FORMS_IN_BRIEF = 1500
# What rounding leaves of targets that cancel, as a share of the usual target.
ROUNDING = 1e-12
# The share of the time left that one search may take; the rest is for other groups and for judging.
SEARCH_SHARE = 0.45
# Of the time limit so much is kept for making the law simple, at most these seconds: more of it finds no simpler form.
# After Ctrl-C it has the seconds that other searches have for tidying.
KEPT_SHARE, MOST_KEPT, AFTER_A_STOP = 0.15, 4.0, 0.6
# Of that time the share after which forms are only put into words.
SIMPLIFYING_SHARE = 0.7


# Makes an observer of snapshots, given what writes the law so far.
Show = Callable[[Callable[[Snapshot], str]], Observer]


@dataclass
class Course:
    """What is known of a search while it runs."""

    evaluations: int = 0
    stage_seconds: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    stopped_by: str = ""
    is_decided: bool = False


class GroupedSearch:
    """One search over groups; `run` returns the fitted forms, the most probable first."""

    def __init__(
        self, problem: GroupedProblem, options: SearchOptions, wishes: Wishes, seeds: tuple[int, ...], clock: Clock,
    ) -> None:  # fmt: skip
        self.problem, self._options, self._wishes, self._clock = problem, options, wishes, clock
        self._config: SearchConfig = options.config()
        self._seeds = seeds
        self.course = Course()
        self.joint = JointForms(problem.few(), self._config.selection.limits, wishes.may_vary, wishes.is_forced)
        self.closeness = Closeness.OPEN
        self._stopped_by_user = False

    @property
    def is_known(self) -> bool:
        """Whether the user has given the form, so that nothing is weighed against it."""
        return self._wishes.are_known

    def run(self, n_jobs: int, observe_with: Show) -> None:
        """Search until the law is exact or decided, a budget is spent or the user stops it; `joint` holds the forms."""
        COMPILATION.report = print_compilation
        compile_beside()
        try:
            with threadpool_limits(1, "blas"), listening(self._is_time_up), np.errstate(all="ignore"):
                self._search(n_jobs, observe_with)
        except KeyboardInterrupt as stop:
            self._stop(str(stop) or "Ctrl-C")
            self._stopped_by_user = True
            if self.joint.best is None:
                raise
        except Stopped:
            self._stop("the time limit")
        if self.joint.best is None:
            raise InvalidSettings(
                "no form has finite values in all groups; give more time, other operators or another guess"
            )
        self._finish()

    def _search(self, n_jobs: int, observe_with: Show) -> None:
        self._judge("guesses", [*([] if self._wishes.are_known else [_mean_form()]), *self._wishes.forms])
        if self._wishes.are_known:
            self.course.is_decided = True
            return
        leads = [group for group in self.problem.leads() if self.problem.rows.sizes_of_groups[group] >= 3]
        has_few = float(np.median(self.problem.rows.sizes_of_groups)) < FEW_ROWS
        stages: list[int | None] = [*([None] if has_few or not leads else []), *leads[:MOST_LEADS]]
        stages += stages[:1]  # and the first once more, to the end
        leader: FittedForm | None = None
        for number, group in enumerate(stages):
            if self._is_spent():
                break
            self._search_one(group, number, number < len(stages) - 1, n_jobs, observe_with)
            before, leader = leader, self.joint.best
            if self.closeness > Closeness.OPEN or self._is_rounding():
                break
            if number + 1 >= LEAST_LEADS and self._are_one_law(before, leader):
                self.course.is_decided = True
                break

    def _are_one_law(self, before: FittedForm | None, leader: FittedForm | None) -> bool:
        """Whether two forms have the same values, in the same words or others."""
        return before is not None and leader is not None and len(distinct_forms([before, leader], self.joint.rows)) == 1

    def _search_one(self, group: int | None, number: int, is_brief: bool, n_jobs: int, observe_with: Show) -> None:
        """Search one group, or all rows together, and judge the forms that were visited on all groups."""
        before = self._clock.seconds
        replaced: list[str] = []

        def read(rng: np.random.Generator) -> Problem:
            if group is not None:
                return self.problem.table_of(group, rng)
            found, names = self.problem.pooled(rng)
            replaced.extend(names)
            return found

        try:
            options = replace(self._options, time_limit=None)
            prepared = prepare(options, self._wishes.named_laws, (*self._seeds, number), read)
        except InvalidTable:
            return
        last = self._discovered(prepared, is_brief, n_jobs, observe_with)
        label = "all groups" if group is None else f"group {self.problem.labels.names[group]}"
        self.course.stage_seconds[label] = self._clock.seconds - before
        if last is not None:
            self.course.evaluations += last.evaluations
            forms = visited_forms(last, prepared.problem, prepared.config.selection, replaced)
            self._judge("judging", forms)

    def _discovered(self, prepared: Prepared, is_brief: bool, n_jobs: int, observe_with: Show) -> Snapshot | None:
        """The last snapshot of a search of one table; a brief one ends after the first turn of the search paths."""
        left = max(self._clock.limit - min(KEPT_SHARE * self._clock.limit, MOST_KEPT) - self._clock.seconds, 0.0)
        ends = self._clock.seconds + SEARCH_SHARE * left if math.isfinite(left) else math.inf
        config = replace(
            prepared.config, max_evaluations=max(self._config.max_evaluations - self.course.evaluations, 1)
        )
        last: Snapshot | None = None
        search = discover(
            prepared.problem.table, config, prepared.rng, n_jobs, is_interrupted=lambda: self._clock.seconds >= ends
        )
        with observe_with(lambda snapshot: self._shown()) as observe, closing(search) as snapshots:
            has_walked = False
            for snapshot in snapshots:
                last = snapshot
                observe(snapshot)
                has_walked = has_walked or snapshot.stage == "refinement"
                if is_brief and has_walked and snapshot.stage != "refinement" and snapshot.num_forms >= FORMS_IN_BRIEF:
                    break
        return last

    def _shown(self) -> str:
        best = self.joint.best
        if best is None:
            return ""
        return f"{self.problem.target} = {to_text(best.form.read(best.shares.mean)[0], self.problem.names, 4)}"

    def _judge(self, stage: str, forms: Sequence[Form]) -> None:
        before = self._clock.seconds
        self.joint.consider(forms, self._is_time_up)
        if self.joint.best is not None:
            self.closeness = closeness_of(self.joint.best, self.joint.rows)
            # A number alone says nothing of the noise.
            is_law = bool(self.joint.best.form.expression.columns)
            if is_law and self.closeness is Closeness.OPEN and not self._is_rounding():
                self.joint.settle_noise(self._is_time_up)
        spent = self.course.stage_seconds
        spent[stage] = spent.get(stage, 0.0) + self._clock.seconds - before

    def _finish(self) -> None:
        """Make the best forms simple and write them as a scientist does, also after the search was stopped."""
        before = self._clock.seconds
        ends = before + AFTER_A_STOP
        if not self._stopped_by_user:
            ends = max(ends, self._clock.limit)
        simple_until = before + SIMPLIFYING_SHARE * (ends - before) if math.isfinite(ends) else math.inf
        if not self._wishes.is_forced:
            most = 1 if self.closeness > Closeness.OPEN else MOST_SIMPLIFIED
            self._until(simple_until, lambda is_up: self.joint.improve(is_up, most))
            self._until(ends, self.joint.write)
        if self.joint.best is not None:
            self.closeness = closeness_of(self.joint.best, self.joint.rows)
        self.course.stage_seconds["simplifying"] = self._clock.seconds - before

    @np.errstate(all="ignore")
    def _until(self, ends: float, work: Callable[[Callable[[], bool]], None]) -> None:
        """Work until these seconds have passed, or the user ends it."""

        def is_up() -> bool:
            return self._clock.seconds >= ends

        try:
            with threadpool_limits(1, "blas"), listening(is_up):
                work(is_up)
        except (KeyboardInterrupt, Stopped) as stop:
            self._stop("the time limit" if isinstance(stop, Stopped) else str(stop) or "Ctrl-C")

    def _is_rounding(self) -> bool:
        """Whether the best form leaves so little that other forms cannot do better, even if it proves nothing."""
        best = self.joint.best
        return best is not None and best.shares.noise * float(np.median(best.sizes)) <= ROUNDING * self.joint.rows.usual

    def _is_spent(self) -> bool:
        return self._is_time_up() or self.course.evaluations >= self._config.max_evaluations

    def _is_time_up(self) -> bool:
        kept = min(KEPT_SHARE * self._clock.limit, MOST_KEPT)
        is_up = self._clock.seconds >= self._clock.limit - kept and self.joint.best is not None
        if is_up:
            self._stop("the time limit")
        return is_up

    def _stop(self, reason: str) -> None:
        self.course.stopped_by = self.course.stopped_by or reason


def _mean_form() -> Form:
    """A number: a search that is stopped at once has a law too."""
    return Form(constant(1.0123456), np.zeros(1, dtype=np.int32), (), START)
