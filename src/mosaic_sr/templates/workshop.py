"""`Workshop`: fits and judges filled templates on one table; each law is weighed by its evidence given the template."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation, Errors, measure
from mosaic_sr.evidence import Judged, Noise
from mosaic_sr.evidence.judge import LOG_2, is_number, structure_bits
from mosaic_sr.evidence.laplace import measure_evidence
from mosaic_sr.evidence.pool import rough_log_likelihood
from mosaic_sr.exactness import CLOSE
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.complexity import complexity
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.fitting import FitConfig, Weighting, fit_parameters, spans_decades
from mosaic_sr.limits import Limits
from mosaic_sr.selection import SelectionConfig, Weighing
from mosaic_sr.selection.validation import closeness_of
from mosaic_sr.table import Rows, Table
from mosaic_sr.template_form import Template, TemplateConfig
from mosaic_sr.templates.filling import Composed, Filled, compose

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

# A start from constants that a search of a part has found; the others are drawn.
WARM = FitConfig(starts=1, draws_per_start=1, max_iterations=40, is_polished=False)
DRAWN = FitConfig(starts=4, draws_per_start=16, max_iterations=30, is_polished=False)
CAREFUL = FitConfig(starts=1, weighting="both")
# Values of the wrong sign that rounding at a zero of an unknown makes, as a share of its largest value.
ZERO = 1e-9


@dataclass(frozen=True, eq=False)
class Tried:
    """A filled template with its constants fitted to some rows.

    score: its log probability given the template, roughly.
    """

    filled: Filled
    errors: Errors
    score: float


class Workshop:
    """Fits and judges the laws of one template on a table in the user's units."""

    def __init__(
        self, template: Template, config: TemplateConfig, table: Table, selection: SelectionConfig, num_rows: int
    ) -> None:
        self.template, self.table, self._selection = template, table, selection
        self.rows = table.some_training(num_rows)
        self.weighing = Weighing(table)
        options = [config.options_of(name) for name in template.unknowns]
        self.signs = tuple(one.sign for one in options)
        whole = selection.limits
        self.limits = tuple(Limits(one.operators or whole.operators, one.maxsize) for one in options)
        self._weightings: tuple[Weighting, ...] = ("uniform", "relative") if spans_decades(self.rows) else ("uniform",)
        self._judged: dict[tuple[object, Noise], Judged | None] = {}

    def admits(self, filled: Filled) -> bool:
        """Whether each part is within the limits of its unknown and has its sign, and the law is short enough."""
        if not all(limits.allow(part) for limits, part in zip(self.limits, filled.parts, strict=True)):
            return False
        most = self._selection.limits.maxsize
        if most is not None and complexity(compose(self.template, filled).expression) > most:
            return False
        return all(self._has_sign(filled, slot) for slot in range(len(self.template.slots)))

    def may_admit(self, filled: Filled) -> bool:
        """As `admits`, for numbers that may turn out to be 1 or 0, with which their operators go."""
        if not all(limits.may_lead(part) for limits, part in zip(self.limits, filled.parts, strict=True)):
            return False
        most = self._selection.limits.maxsize
        least = complexity(compose(self.template, filled).expression) - 2 * len(filled.values)
        is_short = most is None or least <= most
        return is_short and all(self._has_sign(filled, slot) for slot in range(len(self.template.slots)))

    def _has_sign(self, filled: Filled, slot: int) -> bool:
        unknown = self.template.slots[slot].unknown
        if not self.signs[unknown]:
            return True
        arguments = [evaluate_expression(each, self.rows.columns) for each in self.template.slots[slot].arguments]
        values = evaluate_expression(filled.parts[unknown], np.array(arguments))
        signed = values if self.signs[unknown] == "positive" else -values
        return bool(np.all(signed >= -ZERO * float(np.max(np.abs(values)))))

    def tried(self, filled: Filled, is_free: Mask | None = None) -> Tried:
        """The filled template fitted to the rows of the search; NaN are drawn.

        is_free: which of `Filled.values` are fitted, all by default.
        """
        values = filled.values
        free = np.ones(len(values), dtype=np.bool_) if is_free is None else is_free
        config = WARM if not np.isnan(values).any() else DRAWN if self.template.unknowns else FitConfig()
        composed = compose(self.template, filled)
        fits = [
            fit_parameters(composed.expression, composed.tied(free), self.rows, replace(config, weighting=weighting))
            for weighting in self._weightings
        ]
        errors = [Errors(fit.loss, fit.relative_loss) for fit in fits]
        chances = [rough_log_likelihood(each, self.rows) for each in errors]
        best = max(range(len(fits)), key=lambda place: chances[place])
        fitted = filled.with_values(composed.values_in(fits[best].expression.constants, values))
        cost = LOG_2 * self.bits(fitted) + 0.5 * int(free.sum()) * math.log(self.rows.num_rows)
        return Tried(fitted, errors[best], chances[best] - cost)

    def bits(self, filled: Filled) -> float:
        """Bits of the structures of all parts; the template itself is given."""
        return sum(structure_bits(part, arity) for part, arity in zip(filled.parts, self.template.arities, strict=True))

    def equation(self, filled: Filled, fixes_simple: bool = False) -> tuple[Filled, Equation]:
        """The filled template fitted to all training rows, as a law over the columns of the table.

        fixes_simple: whether numbers that a person could have written stay as they are.
        """
        values = filled.values
        free = np.array([not (fixes_simple and is_number(value)) for value in values.tolist()], dtype=np.bool_)
        composed = compose(self.template, filled)
        laws = [self._fitted(composed, free, replace(WARM, weighting=weighting, is_polished=True))
                for weighting in self._weightings]  # fmt: skip
        law = max(laws, key=lambda one: rough_log_likelihood(one.training, self.table.training))
        if not law.agrees and min(law.training.nmse, law.training.relative) < CLOSE**2:
            other = self._fitted(replace_constants(composed, law.expression), free, CAREFUL)
            law = other if other.agrees or other.training.nmse < law.training.nmse else law
        fitted = filled.with_values(composed.values_in(law.expression.constants, values))
        return fitted, replace(law, found_by=filled.found_by)

    def _fitted(self, composed: Composed, is_free: Mask, config: FitConfig) -> Equation:
        rows: Rows = self.table.training
        fit = fit_parameters(composed.expression, composed.tied(is_free), rows, config)
        law = Equation(
            fit.expression, self.table.names, Errors(fit.loss, fit.relative_loss),
            measure(fit.expression, self.table.validation), "template",
            standard_errors=tuple(np.append(fit.standard_errors, 0.0)[composed.tied(is_free)].tolist()),
        )  # fmt: skip
        return replace(law, closeness=closeness_of(law, self.table, self._selection))

    def is_fitted(self, filled: Filled) -> Mask:
        """Which of `Filled.values` noisy rows decide: constants that the user names, and numbers that nobody writes."""
        named = len(filled.constants)
        return np.array(
            [place < named or not is_number(value) for place, value in enumerate(filled.values.tolist())],
            dtype=np.bool_,
        )

    def judged(self, filled: Filled, noise: Noise) -> tuple[Filled, Judged] | None:
        """The filled template with its evidence on all rows; numbers that a person could have written are not fitted.

        None where it has no finite value.
        """
        values, composed = filled.values, compose(self.template, filled)
        free = self.is_fitted(filled)
        key = composed.expression.key, noise
        if key not in self._judged:
            free_constants = composed.tied(free)
            evidence = measure_evidence(
                composed.expression, free_constants < 0, self.weighing.measured, noise, free_constants
            )
            self._judged[key] = None if evidence is None else Judged(evidence, self.bits(filled))
        judged = self._judged[key]
        if judged is None:
            return None
        return filled.with_values(composed.values_in(judged.expression.constants, values)), judged


def replace_constants(composed: Composed, fitted: Expression) -> Composed:
    """The same law from other values of its constants."""
    return Composed(composed.expression.with_constants(fitted.constants), composed.parameters)


def tidy_parts(filled: Filled) -> Filled:
    """Each part in its canonical form, as far as that keeps its numbers finite."""
    parts: Sequence[Expression] = [canonical(part) for part in filled.parts]
    kept = [new if np.all(np.isfinite(new.constants)) or np.isnan(old.constants).any() else old
            for new, old in zip(parts, filled.parts, strict=True)]  # fmt: skip
    return replace(filled, parts=tuple(kept))
