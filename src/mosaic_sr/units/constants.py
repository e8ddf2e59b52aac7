"""Units of a law's constants: what they must measure so that the law is homogeneous, in the user's own symbols."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import CODES, CONSTANT, HOLE, VARIABLE, operator_of
from mosaic_sr.units.costs import Cost, Dimension, cost_of, of_constant, simple_exponent
from mosaic_sr.units.dimensions import Dimensions, dimension_of, exponents_of
from mosaic_sr.units.stated import StatedUnits
from mosaic_sr.units.unit import NO_EXPONENTS, Exponents, Symbols, Unit, base_symbols, written

# Exponents of the operators that are powers.
POWERS = {"inv": Fraction(-1), "sq": Fraction(2), "cube": Fraction(3), "sqrt": Fraction(1, 2)}
# A multiple of all simple denominators: roots of roots of units.
SIMPLE = math.lcm(*range(1, 13))
# Symbols that an answer is written in; with more of them base units are clearer.
MOST_SYMBOLS = 12


def constant_units(
    expression: Expression, units: StatedUnits, are_pure: bool, pure: frozenset[int] = frozenset()
) -> tuple[str, ...]:
    """One text per constant of a law over the user's columns, empty for pure numbers; () where all are.

    A unit is written in the symbols of the user where these measure the same, else in base units.
    pure: places of constants that have none.
    """
    if are_pure or expression.has_defined or not expression.columns or not expression.num_constants:
        return ()
    denominator = _denominator(expression, units)
    in_bases = _assigned(expression, Dimensions.of_columns(units, range(len(units.columns)), False), pure)
    if in_bases is None or not any(in_bases):
        return ()
    symbols = _symbols_of(units)
    in_symbols = None
    if len(symbols) <= MOST_SYMBOLS:
        in_symbols = _assigned(expression, _dimensions_in(symbols, units), pure)
    sizes = {name: exponents for unit in _stated(units) for name, exponents in _measures(unit)}
    texts = []
    for place, dimension in enumerate(in_bases):
        chosen = base_symbols(exponents_of(dimension, len(NO_EXPONENTS), denominator))
        if in_symbols is not None:
            own = tuple(zip(symbols, exponents_of(in_symbols[place], len(symbols), denominator), strict=True))
            if dimension_of(_measured(own, sizes)) == dimension:
                chosen = own
        texts.append(written(sorted(chosen, key=lambda one: -one[1])) if dimension else "")
    return tuple(texts)


def parameter_units(expression: Expression, parameters: Sequence[int], units: StatedUnits) -> tuple[str, ...] | None:
    """One text per parameter of a user's formula, empty for pure numbers; None where no units make it homogeneous.

    parameters: (constants,) numbers 0, 1, .. of the fitted ones, -1 for a number of the formula.
    """
    dimensions = Dimensions.of_columns(units, range(len(units.columns)), False)
    # Numbers of the formula have units only where it is not homogeneous otherwise, as in 9.81*t.
    numbers = frozenset(place for place, parameter in enumerate(parameters) if parameter < 0)
    pure = next((own for own in (numbers, frozenset[int]()) if _is_possible(expression, dimensions, own)), None)
    if pure is None:
        return None
    texts = constant_units(expression, units, False, pure) or ("",) * expression.num_constants
    found: dict[int, set[str]] = {}
    for text, parameter in zip(texts, parameters, strict=True):
        found.setdefault(parameter, set()).add(text)
    # Places of one constant that would need several units tell none.
    known = [found.get(number, {""}) for number in range(max(parameters, default=-1) + 1)]
    return tuple(next(iter(own)) if len(own) == 1 else "" for own in known)


def _is_possible(expression: Expression, dimensions: Dimensions, pure: frozenset[int]) -> bool:
    """Whether units of its constants make an expression measure what the target does."""
    cost = _parts(expression, dimensions, pure).cost
    return (cost.least if dimensions.target is None else cost.of(dimensions.target)) < math.inf


def _measured(symbols: Symbols, sizes: Mapping[str, Exponents]) -> Exponents:
    """The exponents of base units of a product of symbols."""
    total = list(NO_EXPONENTS)
    for name, exponent in symbols:
        total = [own + exponent * more for own, more in zip(total, sizes[name], strict=True)]
    return tuple(total)


def _stated(units: StatedUnits) -> list[Unit]:
    return [unit for unit in (units.target, *units.columns) if unit is not None]


def _symbols_of(units: StatedUnits) -> list[str]:
    """The user's symbols, those of the target first."""
    return list(dict.fromkeys(name for unit in _stated(units) for name, _ in unit.symbols))


def _measures(unit: Unit) -> list[tuple[str, tuple[Fraction, ...]]]:
    """The exponents of base units of each symbol of a unit."""
    from mosaic_sr.units.parsing import find_unit
    from mosaic_sr.units.pint_names import unit_of_pint

    found = []
    for name, exponent in unit.symbols:
        known = find_unit(name) or (None if name.startswith("(") else unit_of_pint(name))
        # A symbol that stands for a whole unit, as (10^3 kg), measures what the unit does.
        found.append((name, tuple(own / exponent for own in unit.exponents) if known is None else known[0]))
    return found


def _dimensions_in(symbols: Sequence[str], units: StatedUnits) -> Dimensions:
    """What the columns measure where each symbol is a base unit of its own."""

    def dimension(unit: Unit | None) -> Dimension | None:
        if unit is None:
            return None
        own = dict(unit.symbols)
        return dimension_of(tuple(own.get(name, Fraction(0)) for name in symbols))

    return Dimensions(tuple(map(dimension, units.columns)), dimension(units.target))


def _denominator(expression: Expression, units: StatedUnits) -> int:
    """A multiple of the denominators of all exponents that units of constants can have."""
    powers = np.flatnonzero(expression.codes == CODES["pow"]).tolist()
    numbers = [expression.slots[node - 1] for node in powers if expression.codes[node - 1] == CONSTANT]
    fitted = [simple_exponent(float(expression.constants[slot])) for slot in numbers]
    own = [exponent for unit in _stated(units) for exponent in (*unit.exponents, *(e for _, e in unit.symbols))]
    inverse = [exponent.numerator or 1 for exponent in fitted]
    return SIMPLE * math.lcm(*(exponent.denominator for exponent in (*fitted, *own)), *map(abs, inverse))


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of a law with its cost; slot: of a constant."""

    name: str
    operands: tuple[_Part, ...]
    cost: Cost
    slot: int = -1


def _assigned(expression: Expression, dimensions: Dimensions, pure: frozenset[int]) -> list[Dimension] | None:
    """What each constant measures, so that as few as possible have a unit; None where nothing fits."""
    root = _parts(expression, dimensions, pure)
    found: list[Dimension] = [0] * expression.num_constants
    wanted = dimensions.target
    if wanted is None or root.cost.of(wanted) == math.inf:
        wanted = _cheapest(root.cost)  # a factor of 1, which is not written, has the rest
    if root.cost.of(wanted) == math.inf:
        return None
    _assign(root, wanted, found)
    return found


def _parts(expression: Expression, dimensions: Dimensions, pure: frozenset[int]) -> _Part:
    stack: list[_Part] = []
    for code, slot in zip(expression.codes.tolist(), expression.slots.tolist(), strict=True):
        if code in (VARIABLE, HOLE):
            stack.append(_Part("", (), dimensions.of_column(slot)))
        elif code == CONSTANT:
            stack.append(_Part("", (), of_constant(float(expression.constants[slot]), slot in pure), slot))
        else:
            operator = operator_of(code)
            operands = tuple(stack[len(stack) - operator.arity :])
            del stack[len(stack) - operator.arity :]
            stack.append(_Part(operator.name, operands, cost_of(operator.name, [o.cost for o in operands], False)))
    return stack[0]


def _cheapest(cost: Cost) -> Dimension:
    return min(cost.known, key=lambda own: cost.known[own]) if cost.known else 0


def _assign(part: _Part, wanted: Dimension, found: list[Dimension]) -> None:
    if part.slot >= 0:
        found[part.slot] = wanted
    for operand, own in zip(part.operands, _wanted_of(part, wanted), strict=True):
        _assign(operand, own, found)


def _wanted_of(part: _Part, wanted: Dimension) -> tuple[Dimension, ...]:
    """What the operands have to measure, at the least cost."""
    name, costs = part.name, [operand.cost for operand in part.operands]
    if name in ("add", "sub", "neg", "abs"):
        return (wanted,) * len(costs)
    if name in POWERS:
        return (_divided(wanted, POWERS[name]),)
    if name in ("mul", "div"):
        return _split(costs[0], costs[1], wanted, 1 if name == "mul" else -1)
    if name == "pow" and costs[1].number is not None and math.isfinite(costs[1].number):
        exponent = simple_exponent(costs[1].number)
        return (_divided(wanted, exponent) if exponent else _cheapest(costs[0]), 0)
    if name == "log" and costs[0].of(0) > costs[0].least + 1.0:
        return (_cheapest(costs[0]),)
    return (0,) * len(costs)


def _split(one: Cost, other: Cost, wanted: Dimension, sign: int) -> tuple[Dimension, Dimension]:
    """Dimensions of two factors, or of a dividend and a divisor."""
    candidates = [*one.known, *(wanted - sign * own for own in other.known), wanted, 0]
    first = min(candidates, key=lambda own: one.of(own) + other.of(sign * (wanted - own)))
    return first, sign * (wanted - first)


def _divided(dimension: Dimension, exponent: Fraction) -> Dimension:
    own = Fraction(dimension) / exponent
    return int(own) if own.denominator == 1 else own
