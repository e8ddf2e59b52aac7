"""`JointForms`: the forms that were fitted to all groups so far, the most probable first, and the best made simple."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.evidence.noise import Noise, noises_to_try
from mosaic_sr.evidence.plausibility import is_plausible
from mosaic_sr.grouped.candidates import as_written, distinct, neighbours, reworded, with_number
from mosaic_sr.grouped.fitted import FittedForm, distinct_forms, fit_form
from mosaic_sr.grouped.forms import Form
from mosaic_sr.grouped.noise import GroupNoise, common_noise, noise_by_group
from mosaic_sr.grouped.rows import GroupedRows
from mosaic_sr.limits import Limits
from mosaic_sr.selection.snapping import simple_values

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# Forms that may become the law: the best of them decide on the noise and are made simple.
LAWS_FOR_NOISE, MOST_SIMPLIFIED = 3, 4
# Forms that are put into words: those that a table of equations shows.
MOST_WRITTEN = 8
# Simple numbers that are tried for a shared constant.
MOST_TRIES = 4
# Parts that are dropped or added one after the other.
MOST_CHANGES = 4
# Of many forms so many are fitted to all groups, after a look at so many groups and rows of each.
MOST_FITTED, SCREENED_GROUPS, SCREENED_ROWS = 16, 4, 60
# Forms behind the best one by more than this have no probability.
FAR_BEHIND = 30.0
# Groups in which a form is looked at between its rows.
GROUPS_LOOKED_AT = 3
# Which constants of a form may vary, None for a form that cannot be the law; and whether exactly these vary.
Choice = Callable[[Form], Mask | None]


class JointForms:
    """Forms fitted to some groups; `consider` adds to them, `best` is the most probable one."""

    def __init__(self, rows: GroupedRows, limits: Limits, may_vary: Choice, is_forced: bool) -> None:
        self.rows, self._limits, self._may_vary, self._is_forced = rows, limits, may_vary, is_forced
        kind = noises_to_try(rows.sigma is not None)[0]
        self.noise: GroupNoise = common_noise(kind)
        self._known: dict[bytes, FittedForm | None] = {}
        self._best_score: float | None = None
        self._noise_settled_for: list[bytes] = []
        self.num_tried = 0

    @property
    def ranked(self) -> list[FittedForm]:
        """The forms that have values in all groups, the most probable first."""
        known = [one for one in self._known.values() if one is not None]
        return sorted(known, key=lambda one: (-one.score, one.form.key))

    @property
    def best(self) -> FittedForm | None:
        return next(iter(self.ranked), None)

    def consider(self, forms: Iterable[Form], is_interrupted: Callable[[], bool]) -> None:
        """Fit forms that are new; of many those that are most probable on a few rows of a few groups."""
        new = [one for one in distinct(forms) if one.key not in self._known and self._limits.allow(one.expression)]
        for form in new if len(new) <= MOST_FITTED else self._screened(new, is_interrupted):
            if is_interrupted():
                return
            self._known[form.key] = self._fitted(form)

    def _screened(self, forms: Sequence[Form], is_interrupted: Callable[[], bool]) -> list[Form]:
        """The most probable of many forms, as a few rows of a few groups tell."""
        largest = np.argsort(-self.rows.sizes_of_groups, kind="stable")[:SCREENED_GROUPS]
        few = self.rows.take_groups(np.sort(largest).tolist()).thinned(SCREENED_ROWS)
        noise, scores = common_noise(self.noise.kind), dict[bytes, float]()
        for form in forms:
            if is_interrupted() and scores:
                break
            may_vary = self._may_vary(form)
            if may_vary is not None:
                self.num_tried += 1
                fitted = fit_form(form, few, noise, may_vary, self._is_forced, is_rough=True)
                scores[form.key] = -np.inf if fitted is None else fitted.score
        ranked = sorted((form for form in forms if form.key in scores), key=lambda form: -scores[form.key])
        return [form for form in ranked if np.isfinite(scores[form.key])][:MOST_FITTED]

    def _fitted(self, form: Form) -> FittedForm | None:
        may_vary = self._may_vary(form)
        if may_vary is None:
            return None
        self.num_tried += 1
        least = -np.inf if self._best_score is None else self._best_score - FAR_BEHIND
        fitted = fit_form(form, self.rows, self.noise, may_vary, self._is_forced, least)
        if fitted is not None:
            self._best_score = max(fitted.score, self._best_score if self._best_score is not None else -np.inf)
        return fitted if fitted is not None and self._is_plausible(fitted) else None

    def _is_plausible(self, fitted: FittedForm) -> bool:
        """Whether the form does between the rows what the rows say, in the groups of most rows."""
        largest = np.argsort(-self.rows.sizes_of_groups, kind="stable")[:GROUPS_LOOKED_AT]
        return all(
            is_plausible(fitted.form.with_values(fitted.theta[group]), self.rows.group(int(group)).columns)
            for group in largest
        )

    def settle_noise(self, is_interrupted: Callable[[], bool]) -> None:
        """Take the noise under which the best forms are likeliest, and fit all forms again where it is another."""
        first = self.ranked[:LAWS_FOR_NOISE]
        keys = [one.form.key for one in first]
        if keys == self._noise_settled_for:
            return
        scores: dict[int, float] = {}
        noises = [self.noise, *self._other_noises(first)]
        for number, noise in enumerate(noises):
            if is_interrupted():
                return
            fits = [fit_form(one.form, self.rows, noise, self._may_vary(one.form), self._is_forced) for one in first]
            scores[number] = max((one.score for one in fits if one is not None), default=-np.inf)
        self._noise_settled_for = keys
        best = max(scores, key=lambda number: (scores[number], -number), default=0)
        if best == 0:
            return
        self.noise, known = noises[best], [one.form for one in self.ranked[:MOST_FITTED]]
        self._known, self._best_score = {}, None
        self.consider(known, is_interrupted)

    def _other_noises(self, first: Sequence[FittedForm]) -> list[GroupNoise]:
        kinds = [Noise("given")] if self.rows.sigma is not None else [Noise(), Noise("proportional")]
        noises = [common_noise(kind) for kind in kinds if kind != self.noise.kind or len(self.noise.factors)]
        for one in first[:1] if not len(self.noise.factors) else []:
            found = self._noise_by_group(one, self.rows, self.noise.kind)
            noises += [] if found is None else [found]
        return noises

    def improve(self, is_interrupted: Callable[[], bool], most: int = MOST_SIMPLIFIED) -> None:
        """Consider what is near the best forms: without a part, with one more constant, with simple numbers."""
        for _ in range(MOST_CHANGES):
            first = [one.form.key for one in self.ranked[:most]]
            for one in self.ranked[:most]:
                self.consider(neighbours(one.form), is_interrupted)
                self.consider(reworded(self._at_fit(one).form), is_interrupted)
                self.consider(self._snapped(one), is_interrupted)
            if is_interrupted() or first == [one.form.key for one in self.ranked[:most]]:
                return

    def write(self, is_interrupted: Callable[[], bool]) -> None:
        """Consider the best forms as a scientist would write them."""
        for one in self.distinct()[:MOST_WRITTEN]:
            if is_interrupted():
                return
            for form in as_written(one.form, one.shares.mean, self.rows, self._limits):
                known = self._known.get(form.key)
                if known is None:
                    self.consider([form], is_interrupted)
                else:
                    self._known[form.key] = replace(known, form=replace(known.form, is_written=True))

    def _snapped(self, one: FittedForm) -> Iterable[Form]:
        """The form with one of its shared constants at a simple number."""
        for place in np.flatnonzero(one.shares.is_shared).tolist():
            value, error = float(one.shares.mean[place]), float(one.shares.mean_errors[place])
            for simple in simple_values(value, error, is_exact=False, margin=0.0)[:MOST_TRIES]:
                yield with_number(one.form, place, simple, one.shares.mean)

    def distinct(self) -> list[FittedForm]:
        """The forms that differ in their values, the most probable first."""
        return distinct_forms(self.ranked[:60], self.rows)

    def on(self, rows: GroupedRows, one: FittedForm) -> FittedForm | None:
        """A form fitted to other rows, those of all groups, from where it stands."""
        if rows is self.rows:
            return one
        start, vary = self._at_fit(one).form, ~one.shares.is_shared
        fitted = fit_form(start, rows, common_noise(self.noise.kind), vary, is_forced=True, known=one.theta)
        if fitted is None or not len(self.noise.factors):
            return fitted
        self.noise = self._noise_by_group(fitted, rows, self.noise.kind) or common_noise(self.noise.kind)
        return fit_form(start, rows, self.noise, vary, is_forced=True, known=one.theta)

    @staticmethod
    def _at_fit(one: FittedForm) -> FittedForm:
        """The form with the means of its constants in its expression."""
        return replace(one, form=replace(one.form, expression=one.form.with_values(one.shares.mean)))

    @staticmethod
    def _noise_by_group(one: FittedForm, rows: GroupedRows, kind: Noise) -> GroupNoise | None:
        to_spare = np.asarray(rows.sizes_of_groups - np.count_nonzero(~one.shares.is_shared), dtype=np.float64)
        squares = rows.sums(np.square((rows.target - one.local.values) / one.sizes) * rows.weights)
        return noise_by_group(kind, squares, to_spare)
