"""`Limits`: what a law may be made of and how long it may be, and which operators need no permission of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mosaic_sr.constraints import Constraint, Costs, Rules, StructureLimits
from mosaic_sr.equation import Equation, in_column_units
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, operator_names
from mosaic_sr.operators import CODES, CONSTANT, NAMES
from mosaic_sr.table import Table
from mosaic_sr.units.dimensions import Dimensions

# Harmless equivalents: an operator that can be said in others that are allowed is allowed too. Powers with a number
# for exponent have their own rule, `_can_be_multiplied_out`.
WAYS: dict[str, tuple[frozenset[str], ...]] = {
    "neg": (frozenset({"mul"}), frozenset({"sub"})),  # -1 * a, 0 - a
    "sub": (frozenset({"add", "neg"}),),  # a + -1 * b
    "sq": (frozenset({"mul"}), frozenset({"pow"})),
    "cube": (frozenset({"mul"}), frozenset({"pow"})),
    "inv": (frozenset({"div"}), frozenset({"pow"})),
    "div": (frozenset({"mul", "inv"}),),
    "sqrt": (frozenset({"pow"}),),
}
# A fitted factor within this share of one is one, where only so a law is short enough; its errors are measured again.
NEAR_ONE = 1e-4
# Candidates whose form is known to be within the limits, or not.
MOST_KNOWN = 100_000
# Bits of a constant that needs a unit: those that say which unit. The units of the physical constants of CODATA have an
# entropy of 4.6 bits (60 dimensions of 316 constants); tests/test_limits.py counts them.
UNIT_BITS = 4.6
# A law that cannot be homogeneous has the bits of so many.
MOST_UNITS = 4.0


@dataclass(frozen=True)
class Limits:
    """The user's bounds on a law in its own units.

    operators: the names that it may use, besides those that can be said in them.  maxsize: complexity; None for any.
    structure: what its form must have and may not have.  costs: what its nodes cost.
    constraints: what it must keep, as it was stated.  rules: the same over the columns of a table, once there is one.
    dimensions: what the columns that expressions are over measure; None where units are not known.
    """

    operators: tuple[str, ...] = NAMES
    maxsize: int | None = None
    structure: StructureLimits = field(default_factory=StructureLimits)
    costs: Costs = field(default_factory=Costs)
    constraints: tuple[Constraint, ...] = ()
    rules: Rules = field(default_factory=Rules)
    dimensions: Dimensions | None = None

    @cached_property
    def expressible(self) -> tuple[str, ...]:
        """The operators that are allowed or can be said in those that are: those of the table, then the user's own."""
        said = set(self.operators)
        while True:
            more = {name for name, ways in WAYS.items() if any(way <= said for way in ways)}
            if more <= said:
                defined = [name for name in self.operators if name not in NAMES]
                return (*(name for name in NAMES if name in said), *defined)
            said |= more

    @property
    def are_open(self) -> bool:
        """Whether nothing is forbidden."""
        return self.dimensions is None and self._leave_words_open and not self.have_wishes

    @property
    def _leave_words_open(self) -> bool:
        return self.maxsize is None and set(NAMES).issubset(self.expressible)

    @cached_property
    def have_wishes(self) -> bool:
        """Whether more is asked of a law than its operators and its length."""
        return bool(self.rules.placed) or not self.structure.are_open

    @property
    def of_parts(self) -> Limits:
        """The limits on a part of a law, which has other columns and other values."""
        return replace(self, structure=self.structure.of_parts, constraints=(), rules=Rules())

    @property
    def allow_units(self) -> bool:
        """Whether a law may multiply by numbers, so that columns can be scaled."""
        return "mul" in self.expressible

    def allow(self, expression: Expression) -> bool:
        """Whether a law in the user's units is within the limits."""
        return self._allow_words(expression) and self.keep_wishes(expression)

    def _allow_words(self, expression: Expression) -> bool:
        is_short = self.maxsize is None or self.costs.of(expression) <= self.maxsize
        # Where constants may have units, a factor of 1 may have one too, though it is not written.
        is_checked = self.dimensions is not None and self.dimensions.are_constants_pure
        return is_short and self._can_say(expression) and (not is_checked or self.is_homogeneous(expression))

    def is_homogeneous(self, expression: Expression) -> bool:
        """Whether the units of a law or a sketch can fit; yes where they are not known."""
        return self.dimensions is None or self.dimensions.may_be(expression)

    def may_have_units(self, expression: Expression) -> bool:
        """As `is_homogeneous`, also in other words: the parts of exp(a*b) may fit where those of exp(a)^b do not."""
        return self.is_homogeneous(expression) or self.is_homogeneous(canonical(expression))

    def unit_bits(self, expression: Expression) -> float:
        """Bits of the units that constants of a law need."""
        if self.dimensions is None or self.dimensions.are_constants_pure:
            return 0.0
        return UNIT_BITS * min(self.dimensions.num_units(expression), MOST_UNITS)

    def over_user_columns(self, used: Sequence[int]) -> Limits:
        """The same for laws over the user's columns, of which the table has the columns `used`."""
        return self if self.dimensions is None else replace(self, dimensions=self.dimensions.spread(used))

    @property
    def without_units(self) -> Limits:
        """The same for tables of other quantities."""
        return self if self.dimensions is None else replace(self, dimensions=None)

    def keep_wishes(self, expression: Expression) -> bool:
        """Whether a law in the user's units has the form that is asked for and breaks no constraint on samples."""
        if not self.have_wishes:
            return True
        return self.structure.allow(expression, self.costs) and self.rules.hold(expression)

    def refute(self, expression: Expression) -> bool:
        """Whether a law in the user's units breaks a constraint where a proof was tried; slow, for what may be told."""
        return bool(self.rules.placed) and self.rules.refute(expression)

    def allow_told(self, expression: Expression, table: Table) -> bool:
        """As `allow`, for a law over all columns of the user instead of those of the table."""
        is_said = self.over_user_columns(table.used)._allow_words(expression)
        return is_said and (not self.have_wishes or self.keep_wishes(over_table_columns(expression, table)))

    def words_for(self, expression: Expression, table: Table | None = None) -> Expression | None:
        """A law in the user's units in words within the limits, None where none are at hand.

        table: where the law is over all columns of the user, the table that has some of them.
        """
        wordings = _wordings(expression)
        if table is None:
            return next((words for words in wordings if self.allow(words)), None)
        return next((words for words in wordings if self.allow_told(words, table)), None)

    def admit(self, equation: Equation, table: Table) -> bool:
        """Whether an equation of a table can be said to the user."""
        if not self.may_have_units(equation.expression):
            return False
        # Samples of the table's own units come first: most of what breaks a constraint needs no other words.
        if self.rules.placed and not self.rules.hold(equation.expression, is_scaled=True):
            return False
        if self._leave_words_open and not self.have_wishes:
            return True
        return self.words_for(in_column_units(equation, table).expression) is not None

    def may_go_on(self, expression: Expression) -> bool:
        """Whether a fitted candidate of the table keeps what is asked for, but for its words; quickly."""
        if not self.have_wishes:
            return True
        return self._has_form(expression) and self.rules.hold(expression, is_scaled=True)

    def _has_form(self, expression: Expression) -> bool:
        """Whether the form of a candidate is within the limits, as it is or in canonical words."""
        if self.structure.are_open:
            return True
        key = expression.key
        if key not in self._known_forms:
            if len(self._known_forms) >= MOST_KNOWN:
                self._known_forms.clear()
            forms = (form(expression) for form in (_as_it_is, canonical))
            self._known_forms[key] = any(self.structure.allow(words, self.costs) for words in forms)
        return self._known_forms[key]

    @cached_property
    def _known_forms(self) -> dict[bytes, bool]:
        return {}

    def may_lead(self, sketch: Expression) -> bool:
        """Whether a sketch, whose numbers are not known yet, can become a law within the limits."""
        if self.are_open:
            return True
        if not self.may_have_units(sketch):
            return False
        # A number may turn out to be one or zero, and its operator goes with it.
        is_short = self.maxsize is None or self.costs.least(sketch) <= self.maxsize
        if not is_short or not self.structure.may_allow(sketch):
            return False
        return self._can_say(sketch) or self._can_say(canonical(sketch))

    def _can_say(self, expression: Expression) -> bool:
        unsaid = operator_names(expression).difference(self.expressible)
        if not unsaid:
            return True
        return unsaid == {"pow"} and all(map(self._can_be_multiplied_out, _exponents(expression)))

    def _can_be_multiplied_out(self, exponent: float) -> bool:
        """Whether a power is but a product of its base, the root of one or the inverse of one."""
        needed = {"mul"} if exponent.is_integer() else {"mul", "sqrt"}
        needed |= {"inv"} if exponent < 0.0 else set()
        return (2.0 * exponent).is_integer() and needed.issubset(self.expressible)


def _as_it_is(expression: Expression) -> Expression:
    return expression


def over_table_columns(expression: Expression, table: Table) -> Expression:
    """A law over all columns of the user as one over those of the table."""
    places = np.zeros(max(table.used) + 1, dtype=np.int32)
    places[list(table.used)] = np.arange(len(table.used))
    return expression.renamed(places.tolist())


def _wordings(expression: Expression) -> Iterator[Expression]:
    """The expression as it is, in canonical form, and with factors of one left out."""
    yield expression
    yield canonical(expression)
    values = expression.constants
    is_one = np.abs(np.abs(values) - 1.0) <= NEAR_ONE
    yield canonical(expression.with_constants(np.where(is_one, np.sign(values), values)))


def _exponents(expression: Expression) -> Iterator[float]:
    """The numbers to which an expression raises its parts; NaN where the exponent is no number."""
    for node in np.flatnonzero(expression.codes == CODES["pow"]).tolist():
        is_number = expression.codes[node - 1] == CONSTANT
        yield float(expression.constants[expression.slots[node - 1]]) if is_number else np.nan
