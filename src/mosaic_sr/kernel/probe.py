"""`python -m mosaic_sr.kernel.probe` fails where numba's internals are not those that `numba_internals` uses."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel.jit import (
    COLUMNS,
    FLOATS,
    POINTER,
    EntryPoint,
    bits_float,
    compiled,
    float_bits,
    integers,
    multiply_add,
    part,
    pointer,
    rows_at,
    shifted,
    unowned,
)

Floats = NDArray[np.float64]

# What `probe` returns for 0, 1, ..., 11: 3/2 + 2*(3 + 4 + 5) + 3 + 1, without rounding.
RIGHT = 29.5


@compiled()
def half(x: float) -> float:
    """Become part of a compiled caller."""
    return 0.5 * x


@compiled(f"float64({FLOATS}, {POINTER})")
def total(numbers: Floats, start: Floats) -> float:
    """Be called from compiled code."""
    result = half(start[0])
    for number in numbers:
        result = multiply_add(number, 2.0, result)
    return result


@compiled(f"float64({COLUMNS})")
def probe(table: Floats) -> float:
    """Use every machine operation, and an entry point."""
    own = unowned(table)
    block = rows_at(own, 2, 2, 2)
    whole = integers(pointer(own))[1]
    return total(part(block, 1, 3), shifted(pointer(own), 3)) + bits_float(float_bits(block[0, 1])) + bits_float(whole)


def main() -> int:
    """0 where compiled and loaded code give the right number."""
    from mosaic_sr.kernel import numba_internals

    table = np.arange(12.0).reshape(3, 4)
    entry: EntryPoint = probe  # type: ignore[assignment]
    made, code = numba_internals.compile_entry(entry)
    loaded = numba_internals.load_entry(entry, code)
    return 0 if made(table) == loaded(table) == RIGHT else 1


if __name__ == "__main__":
    sys.exit(main())
