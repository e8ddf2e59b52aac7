"""`StructureLimits`: what the form of a law must have and may not have, whatever its numbers, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import ARITY, CONSTANT, PLAIN_BITS, Operator, operator_of

# Operators that are other words for one that a user names: 1/x is a quotient, x^2 a power, -x a difference.
FAMILIES = {"div": ("div", "inv"), "pow": ("pow", "sq", "cube"), "sub": ("sub", "neg")}
# Which operand of the named operator the only operand of its relative is.
ONLY_OPERAND = {"inv": 1, "neg": 1, "sq": 0, "cube": 0}
# Bits of a law for each unit of complexity beyond 1: what an operator of arithmetic costs.
BITS_PER_UNIT = PLAIN_BITS


def family(name: str) -> tuple[str, ...]:
    """The operators that a limit on one of them is meant for."""
    return FAMILIES.get(name, (name,))


@dataclass(frozen=True)
class Costs:
    """Complexity of each node: of operators, whose names and costs stand in the same order, of constants and columns.

    Operators without a cost of their own have 1.
    """

    operators: tuple[str, ...] = ()
    of_operators: tuple[float, ...] = ()
    constants: float = 1.0
    variables: float = 1.0

    @cached_property
    def _by_name(self) -> dict[str, float]:
        own = dict(zip(self.operators, self.of_operators, strict=True))
        return {relative: cost for name, cost in own.items() for relative in family(name)} | own

    @property
    def are_plain(self) -> bool:
        """Whether complexity is the number of nodes."""
        return not self.operators and self.constants == 1.0 and self.variables == 1.0

    def of_node(self, code: int) -> float:
        if ARITY[code] > 0:
            return self._by_name.get(operator_of(code).name, 1.0)
        return self.constants if code == CONSTANT else self.variables

    def of(self, expression: Expression) -> int:
        """The complexity of an expression, to the next whole number."""
        return round(sum(map(self.of_node, expression.codes.tolist())))

    def least(self, sketch: Expression) -> float:
        """No more than what a sketch can cost once its numbers are known: one that is 1 or 0 goes with its operator."""
        whole = sum(map(self.of_node, sketch.codes.tolist()))
        dearest = max(self.of_operators, default=1.0)
        return whole - sketch.num_constants * (self.constants + max(1.0, dearest))

    def extra_bits(self, expression: Expression) -> float:
        """Bits of a law beyond those of its structure: by these costs alone."""
        if self.are_plain:
            return 0.0
        return BITS_PER_UNIT * sum(self.of_node(code) - 1.0 for code in expression.codes.tolist())


@dataclass(frozen=True)
class StructureLimits:
    """Limits on the form of a law.

    must_use: columns that must occur, by name; needed: the same by their places in the table.
    nested: for an operator, how often others may stand one inside the other within it.
    argument_sizes: for an operator, the largest complexity of each operand, -1 for any.
    maxdepth: nodes on the longest way from the whole to a column or number; None for any.
    """

    must_use: tuple[str, ...] = ()
    needed: tuple[int, ...] = ()
    nested: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()
    argument_sizes: tuple[tuple[str, tuple[float, ...]], ...] = ()
    maxdepth: int | None = None

    @property
    def are_open(self) -> bool:
        return self == StructureLimits()

    @property
    def of_parts(self) -> StructureLimits:
        """The limits on a part of a law, over other columns."""
        return StructureLimits((), (), self.nested, self.argument_sizes, self.maxdepth)

    def allow(self, expression: Expression, costs: Costs) -> bool:
        """Whether the form of a law is within the limits."""
        is_flat = self.maxdepth is None or depth(expression) <= self.maxdepth
        return is_flat and self.may_allow(expression) and not any(self._oversized(expression, costs))

    def may_allow(self, sketch: Expression) -> bool:
        """Whether a sketch can become a law within the limits: its holes may become the columns that are needed, and a
        number that turns out to be 1 makes it flatter.
        """
        missing = set(self.needed).difference(sketch.columns)
        return len(missing) <= sketch.num_holes and not any(self._overnested(sketch))

    def _overnested(self, expression: Expression) -> Iterator[bool]:
        """For each limit, whether one operator contains the other too often."""
        for outer, inners in self.nested:
            for inner, most in inners:
                yield nestedness(expression, family(outer), family(inner)) > most

    def _oversized(self, expression: Expression, costs: Costs) -> Iterator[bool]:
        """For each operand with a limit, whether it is too complex."""
        for named, sizes in self.argument_sizes:
            for node, code in enumerate(expression.codes.tolist()):
                if ARITY[code] == 0 or operator_of(code).name not in family(named):
                    continue
                for operand, most in zip(_operands(expression, node), _limits_of(code, sizes), strict=True):
                    yield 0.0 <= most < costs.of(operand)


def _limits_of(code: int, sizes: tuple[float, ...]) -> tuple[float, ...]:
    """The limits of each operand of a node: of the named operator or of a relative."""
    if int(ARITY[code]) == len(sizes):
        return sizes
    return (sizes[ONLY_OPERAND.get(operator_of(code).name, 0)],)


def _operands(expression: Expression, node: int) -> list[Expression]:
    right = expression.subtree(node - 1)
    if ARITY[expression.codes[node]] == 1:
        return [right]
    return [expression.subtree(node - 1 - len(right)), right]


def depth(expression: Expression) -> int:
    """Nodes on the longest way from the whole to a leaf."""
    return expression.fold(lambda _, below: 1 + max(below), lambda _: 1, lambda _: 1, lambda: 1)


def nestedness(expression: Expression, outer: tuple[str, ...], inner: tuple[str, ...]) -> int:
    """How many operators of one kind stand one inside the other within an operator of the other kind, at most."""

    def node(operator: Operator, below: list[tuple[int, int]]) -> tuple[int, int]:
        # The longest chain of the inner ones in a part, and the longest within an outer one.
        chain, found = max(own for own, _ in below), max(own for _, own in below)
        if operator.name in outer:
            found = max(found, chain)
        return chain + (operator.name in inner), found

    return expression.fold(node, lambda _: (0, 0), lambda _: (0, 0), lambda: (0, 0))[1]
