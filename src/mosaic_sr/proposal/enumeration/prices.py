"""What units add to the enumeration: forms whose units cannot fit are not made, those that need units come later."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.limits import UNIT_BITS
from mosaic_sr.proposal.enumeration.form import Form
from mosaic_sr.units.costs import IMPOSSIBLE, Cost, cost_of, of_constant
from mosaic_sr.units.dimensions import Dimensions


@dataclass
class Prices:
    """What forms over some quantities cost, by the constants that need a unit; each form is priced once.

    quantities: the cost of each.
    """

    dimensions: Dimensions
    quantities: tuple[Cost, ...]
    _known: dict[Form, Cost] = field(default_factory=dict)

    @property
    def key(self) -> object:
        """Equal for quantities that measure the same."""
        return tuple((tuple(sorted(cost.known.items())), cost.other) for cost in self.quantities)

    def of(self, form: Form) -> Cost:
        """The cost of a form."""
        known = self._known.get(form)
        if known is None:
            known = self._known[form] = self._priced(form)
        return known

    def of_node(self, symbol: str, operands: Sequence[Form]) -> Cost:
        """The cost of a form with this operator at its root."""
        return cost_of(symbol, [self.of(operand) for operand in operands], self.dimensions.are_constants_pure)

    def more_bits(self, form: Form) -> float:
        """Bits of the constants of a whole law that need a unit; infinite where it cannot be homogeneous."""
        return UNIT_BITS * self.dimensions.price(self.of(form))

    def _priced(self, form: Form) -> Cost:
        if isinstance(form.symbol, str):
            return self.of_node(form.symbol, form.operands)
        if isinstance(form.symbol, int):
            return self.quantities[form.symbol]
        return of_constant(math.nan if form.symbol is None else form.symbol, self.dimensions.are_constants_pure)


def prices_of(quantities: Sequence[Expression], dimensions: Dimensions | None) -> Prices | None:
    """What forms over these quantities of a table cost; None where units are not known, and all is allowed."""
    if dimensions is None:
        return None
    return Prices(dimensions, tuple(map(dimensions.cost, quantities)))


def can_be(quantity: Expression, dimensions: Dimensions | None) -> bool:
    """Whether a quantity that two columns make together has a unit."""
    return dimensions is None or dimensions.cost(quantity) is not IMPOSSIBLE
