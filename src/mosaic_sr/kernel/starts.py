"""Starting values of the constants that a fit has to iterate, drawn to suit the place where each constant stands."""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel.evaluate import block_values
from mosaic_sr.kernel.jit import COLUMNS, INTS, OUT, compiled
from mosaic_sr.kernel.linear import DRAWN, HOME, LINEAR, OUT_PLAN, PARENT, SPAN, Codes, Floats, Plan
from mosaic_sr.kernel.moments import Work, carve
from mosaic_sr.operators import ARITY, CODES, CONSTANT, NUM_CODES, NUM_LEAF_CODES, OPERATORS

ADD, SUB, MUL, DIV, NEG, POW = (CODES[name] for name in ("add", "sub", "mul", "div", "neg", "pow"))

# What the operator above a constant asks of its argument, by the word in its row.
ANY, WAVE, GROWTH, SIGMOID, UNIT, POSITIVE, NONZERO = range(7)
_ROLES = {"any": ANY, "wave": WAVE, "growth": GROWTH, "sigmoid": SIGMOID, "unit": UNIT, "positive": POSITIVE,
          "nonzero": NONZERO}  # fmt: skip
ROLE_OF = np.zeros(NUM_CODES, dtype=np.int64)
ROLE_OF[NUM_LEAF_CODES:] = [_ROLES[operator.argument] for operator in OPERATORS]

# Exponents of physics, the commonest first.
EXPONENTS = np.array([0.5, 2.0, -1.0, -2.0, 1.5, -0.5, 3.0, 1.0 / 3.0, -3.0, 0.25, -1.5, 4.0, 2.5, 0.1, -0.2, 7.0])

# Square roots of primes: multiples of their fractions fill the unit interval evenly, and together the unit cube.
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89)
STRIDES = np.sqrt(np.array(_PRIMES, dtype=np.float64)) % 1.0


@compiled()
def spread(index: int, dimension: int, shift: float) -> float:
    """Number `index` of an even sequence in [0, 1); dimensions are independent."""
    turns = (index + 1.0) * STRIDES[dimension % len(STRIDES)] + shift * (1.0 + dimension)
    return float(turns - np.floor(turns))


@compiled()
def range_of(
    codes: Codes, slots: Codes, constants: Floats, columns: Floats, root: int, plan: Plan, work: Work
) -> tuple[float, float]:
    """Least and greatest value of the subtree at `root` over the rows; (-1, 1) when it has none yet."""
    first = plan[SPAN, root]
    num_rows = columns.shape[1]
    part = slice(first, root + 1)
    block_values(codes[part], slots[part], constants, columns, 0, num_rows, work.evaluation, work.values)
    low, high = work.values[0], work.values[0]
    for row in range(num_rows):
        value = work.values[row]
        if not -np.inf < value < np.inf:
            return -1.0, 1.0
        low, high = min(low, value), max(high, value)
    return low, high


@compiled()
def size_of(low: float, high: float) -> float:
    """Greatest magnitude in an interval, 1 when that is zero."""
    size = max(abs(low), abs(high))
    return size if size > 0.0 else 1.0


@compiled()
def find_role(
    codes: Codes, slots: Codes, constants: Floats, columns: Floats, node: int, plan: Plan, work: Work
) -> tuple[int, float, float]:
    """What stands above a node: the role that its value plays, the factor in between, and the size of what is added.

    The size is 0 when nothing with a known value is added.
    """
    factor, rival = 1.0, 0.0
    above = plan[PARENT, node]
    while above >= 0:
        code = codes[above]
        is_second = ARITY[code] == 2 and node == above - 1
        if code == NEG:
            factor = -factor
        elif code == ADD or code == SUB or code == MUL or (code == DIV and not is_second):
            other = plan[SPAN, above - 1] - 1 if is_second else above - 1
            low, high = range_of(codes, slots, constants, columns, other, plan, work)
            if code == MUL:
                factor *= size_of(low, high)
            elif code == DIV:
                factor /= size_of(low, high)
            elif codes[other] != CONSTANT:
                rival = max(rival, size_of(low, high) / abs(factor))
            if code == SUB and is_second:
                factor = -factor
        else:
            role = GROWTH if code == POW and is_second else ROLE_OF[code]
            return role, factor, rival
        node, above = above, plan[PARENT, above]
    return ANY, factor, rival


@compiled()
def power(base: float, exponent: float) -> float:
    """The positive `base` to any power."""
    return float(np.exp(exponent * np.log(base)))


@compiled()
def draw_factor(role: int, factor: float, rival: float, low: float, high: float, t: float, v: float) -> float:
    """A constant that multiplies a value in [low, high]; t and v are even in [0, 1)."""
    size = size_of(low, high)
    width = high - low if high > low else size
    sign = 1.0 if v < 0.6 else -1.0
    if role == UNIT:
        return sign * (0.05 + 0.95 * t) / (size * abs(factor))
    if role == WAVE or role == GROWTH or role == SIGMOID:
        reach = 0.2 + 31.0 * float(t * np.sqrt(t)) if role == WAVE else 0.05 * power(800.0, t)
        if is_rare(v):
            reach = 1e-4 * power(1e3, t)
        return sign * min(reach / width, 600.0 / size) / abs(factor)
    if rival > 0.0:
        return sign * rival * 1e-4 * power(1e8, t) / size
    return sign * 1e-4 * power(1e8, t) / (size * abs(factor))


@compiled()
def is_rare(v: float) -> bool:
    """True for a quarter of [0, 1), spread over it: these draws go where a function is nearly straight."""
    return bool(8.0 * v - np.floor(8.0 * v) < 0.25)


@compiled()
def draw_offset(role: int, factor: float, low: float, high: float, t: float, v: float) -> float:
    """A constant that is added to a value in [low, high]; t and v are even in [0, 1)."""
    width = high - low if high > low else size_of(low, high)
    reach = width * 1e-4 * power(1e8, t)
    if role == POSITIVE:
        return reach - low if factor > 0.0 else -high - reach
    if role == NONZERO and not low < 0.0 < high:
        return reach - low if v < 0.6 else -high - reach
    if role == WAVE and not is_rare(v):
        return 2.0 * np.pi * t / abs(factor)
    if role == GROWTH:
        return (4.0 * t - 2.0) / abs(factor)
    if v < 0.5:
        return -(low + (3.0 * t - 1.0) * width)
    return reach if v < 0.75 else -reach


@compiled()
def draw_operand(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    node: int,
    operand: int,
    t: float,
    v: float,
    plan: Plan,
    work: Work,
) -> float:
    """A value for the constant at `operand` of the operator at `node`."""
    code = codes[node]
    if ARITY[code] == 1:
        return 1.0
    is_second = operand == node - 1
    other = plan[SPAN, node - 1] - 1 if is_second else node - 1
    low, high = range_of(codes, slots, constants, columns, other, plan, work)
    if code == POW:
        if is_second:
            return float(EXPONENTS[int(t * len(EXPONENTS))])
        return float(np.exp(draw_factor(GROWTH, 1.0, 0.0, low, high, t, v)))
    role, factor, rival = find_role(codes, slots, constants, columns, node, plan, work)
    if code == ADD:
        return draw_offset(role, factor, low, high, t, v)
    if code == SUB:
        if is_second:
            return -draw_offset(role, factor, low, high, t, v)
        return draw_offset(role, factor, -high, -low, t, v)
    if code == DIV and not is_second:
        return (1.0 if v < 0.6 else -1.0) * size_of(low, high) * 1e-2 * power(1e4, t)
    drawn = draw_factor(role, factor, rival, low, high, t, v)
    return 1.0 / drawn if code == DIV else drawn


@compiled(f"void({INTS}, {INTS}, {OUT}, {COLUMNS}, int64, float64, {OUT_PLAN}, {OUT})", is_slow=True)
def draw_start(
    codes: Codes,
    slots: Codes,
    constants: Floats,
    columns: Floats,
    index: int,
    shift: float,
    plan: Plan,
    buffer: Floats,
) -> None:
    """Write values for the constants marked in the plan, number `index` of an even sequence; linear ones become 0.

    columns: (columns, rows) with at most one block of rows, whose ranges set the scales.
    """
    work = carve(buffer, len(codes), len(constants))
    for constant in range(len(constants)):
        home = plan[HOME, constant]
        if home >= 0 and plan[DRAWN, home] == 1:
            constants[constant] = 0.0 if plan[LINEAR, home] == 1 else np.nan
    dimension = 0
    for node in range(len(codes)):
        operand = node - 1
        for _ in range(ARITY[codes[node]]):
            if codes[operand] == CONSTANT and np.isnan(constants[slots[operand]]):
                t, v = spread(index, dimension, shift), spread(index, dimension + 1, shift)
                home = plan[HOME, slots[operand]]
                constants[home] = draw_operand(codes, slots, constants, columns, node, operand, t, v, plan, work)
                dimension += 2
                for constant in range(len(constants)):
                    if plan[HOME, constant] == home:
                        constants[constant] = constants[home]
            operand = plan[SPAN, operand] - 1
