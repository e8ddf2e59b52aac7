"""Block loops of all operators, generated from the operator table by `mosaic_sr.kernel.generate`.

Each function acts on `count` rows: `a`, `b` operands, `v` value, `g` derivative of the root with respect to `v`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.kernel import elementary
from mosaic_sr.kernel.elementary import copysign, maximum
from mosaic_sr.kernel.jit import POINTER, compiled
from mosaic_sr.kernel.power import power_number_rows_block, power_rows_number_block, power_rows_rows_block

Floats = NDArray[np.float64]


@compiled(f"void({POINTER}, {POINTER}, int64)")
def sin_block(a: Floats, out: Floats, count: int) -> None:
    """Write sin(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -67108864.0) & (a[i] <= 67108864.0) else 1
        out[i] = elementary.sin(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -67108864.0) & (a[i] <= 67108864.0)):
                out[i] = np.sin(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def cos_block(a: Floats, out: Floats, count: int) -> None:
    """Write cos(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -67108864.0) & (a[i] <= 67108864.0) else 1
        out[i] = elementary.cos(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -67108864.0) & (a[i] <= 67108864.0)):
                out[i] = np.cos(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def tan_block(a: Floats, out: Floats, count: int) -> None:
    """Write tan(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -67108864.0) & (a[i] <= 67108864.0) else 1
        out[i] = elementary.tan(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -67108864.0) & (a[i] <= 67108864.0)):
                out[i] = np.tan(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def exp_block(a: Floats, out: Floats, count: int) -> None:
    """Write exp(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -708.0) & (a[i] <= 709.0) else 1
        out[i] = elementary.exp(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -708.0) & (a[i] <= 709.0)):
                out[i] = np.exp(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def log_block(a: Floats, out: Floats, count: int) -> None:
    """Write log(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= 2.2250738585072014e-308) & (a[i] <= 1.7976931348623157e308) else 1
        out[i] = elementary.log(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= 2.2250738585072014e-308) & (a[i] <= 1.7976931348623157e308)):
                out[i] = np.log(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def tanh_block(a: Floats, out: Floats, count: int) -> None:
    """Write tanh(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -np.inf) & (a[i] <= np.inf) else 1
        out[i] = elementary.tanh(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -np.inf) & (a[i] <= np.inf)):
                out[i] = np.tanh(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def sinh_block(a: Floats, out: Floats, count: int) -> None:
    """Write sinh(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -709.0) & (a[i] <= 709.0) else 1
        out[i] = elementary.sinh(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -709.0) & (a[i] <= 709.0)):
                out[i] = np.sinh(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def cosh_block(a: Floats, out: Floats, count: int) -> None:
    """Write cosh(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -709.0) & (a[i] <= 709.0) else 1
        out[i] = elementary.cosh(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -709.0) & (a[i] <= 709.0)):
                out[i] = np.cosh(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def arctan_block(a: Floats, out: Floats, count: int) -> None:
    """Write arctan(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -np.inf) & (a[i] <= np.inf) else 1
        out[i] = elementary.arctan(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -np.inf) & (a[i] <= np.inf)):
                out[i] = np.arctan(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def arcsin_block(a: Floats, out: Floats, count: int) -> None:
    """Write arcsin(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -1.0) & (a[i] <= 1.0) else 1
        out[i] = elementary.arcsin(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -1.0) & (a[i] <= 1.0)):
                out[i] = np.arcsin(a[i])


@compiled(f"void({POINTER}, {POINTER}, int64)")
def arccos_block(a: Floats, out: Floats, count: int) -> None:
    """Write arccos(a[i])."""
    num_unusual = 0
    for i in range(count):
        num_unusual += 0 if (a[i] >= -1.0) & (a[i] <= 1.0) else 1
        out[i] = elementary.arccos(a[i])
    if num_unusual > 0:
        for i in range(count):
            if not ((a[i] >= -1.0) & (a[i] <= 1.0)):
                out[i] = np.arccos(a[i])


@compiled(f"void(int64, {POINTER}, {POINTER}, int64)")
def unary_values(code: int, a: Floats, out: Floats, count: int) -> None:
    """Write the value of an operator."""
    if code == 8:  # neg
        for i in range(count):
            out[i] = -a[i]
    elif code == 9:  # inv
        for i in range(count):
            out[i] = 1.0 / a[i]
    elif code == 10:  # sq
        for i in range(count):
            out[i] = a[i] * a[i]
    elif code == 11:  # cube
        for i in range(count):
            out[i] = (a[i] * a[i]) * a[i]
    elif code == 12:  # sqrt
        for i in range(count):
            out[i] = np.sqrt(a[i])
    elif code == 13:  # exp
        exp_block(a, out, count)
    elif code == 14:  # log
        log_block(a, out, count)
    elif code == 15:  # sin
        sin_block(a, out, count)
    elif code == 16:  # cos
        cos_block(a, out, count)
    elif code == 17:  # tan
        tan_block(a, out, count)
    elif code == 18:  # tanh
        tanh_block(a, out, count)
    elif code == 19:  # atan
        arctan_block(a, out, count)
    elif code == 20:  # abs
        for i in range(count):
            out[i] = abs(a[i])
    elif code == 21:  # asin
        arcsin_block(a, out, count)
    elif code == 22:  # acos
        arccos_block(a, out, count)
    elif code == 23:  # sinh
        sinh_block(a, out, count)
    elif code == 24:  # cosh
        cosh_block(a, out, count)


@compiled(f"void(int64, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, int64)")
def unary_partial(code: int, a: Floats, v: Floats, g: Floats, out: Floats, t1: Floats, t2: Floats, count: int) -> None:
    """Write the adjoint of an operand."""
    if code == 8:  # neg
        for i in range(count):
            out[i] = -g[i]
    elif code == 9:  # inv
        for i in range(count):
            out[i] = g[i] * (-v[i] * v[i])
    elif code == 10:  # sq
        for i in range(count):
            out[i] = g[i] * (2.0 * a[i])
    elif code == 11:  # cube
        for i in range(count):
            out[i] = g[i] * ((3.0 * a[i]) * a[i])
    elif code == 12:  # sqrt
        for i in range(count):
            out[i] = g[i] * (0.5 / v[i])
    elif code == 13:  # exp
        for i in range(count):
            out[i] = g[i] * v[i]
    elif code == 14:  # log
        for i in range(count):
            out[i] = g[i] * (1.0 / a[i])
    elif code == 15:  # sin
        cos_block(a, t1, count)
        for i in range(count):
            out[i] = g[i] * t1[i]
    elif code == 16:  # cos
        sin_block(a, t1, count)
        for i in range(count):
            out[i] = g[i] * -t1[i]
    elif code == 17:  # tan
        for i in range(count):
            out[i] = g[i] * (1.0 + (v[i] * v[i]))
    elif code == 18:  # tanh
        for i in range(count):
            out[i] = g[i] * (1.0 - (v[i] * v[i]))
    elif code == 19:  # atan
        for i in range(count):
            out[i] = g[i] * (1.0 / (1.0 + (a[i] * a[i])))
    elif code == 20:  # abs
        for i in range(count):
            out[i] = g[i] * copysign(1.0, a[i])
    elif code == 21:  # asin
        for i in range(count):
            out[i] = g[i] * (1.0 / np.sqrt(1.0 - (a[i] * a[i])))
    elif code == 22:  # acos
        for i in range(count):
            out[i] = g[i] * (-1.0 / np.sqrt(1.0 - (a[i] * a[i])))
    elif code == 23:  # sinh
        cosh_block(a, t1, count)
        for i in range(count):
            out[i] = g[i] * t1[i]
    elif code == 24:  # cosh
        sinh_block(a, t1, count)
        for i in range(count):
            out[i] = g[i] * t1[i]


@compiled(f"void(int64, {POINTER}, {POINTER}, {POINTER}, int64)")
def rows_rows_values(code: int, a: Floats, b: Floats, out: Floats, count: int) -> None:
    """Write the value of an operator."""
    if code == 3:  # add
        for i in range(count):
            out[i] = a[i] + b[i]
    elif code == 4:  # sub
        for i in range(count):
            out[i] = a[i] - b[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = a[i] * b[i]
    elif code == 6:  # div
        for i in range(count):
            out[i] = a[i] / b[i]
    elif code == 7:  # pow
        power_rows_rows_block(a, b, out, count)


@compiled(f"void(int64, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, int64)")
def rows_rows_left_partial(
    code: int, a: Floats, b: Floats, v: Floats, g: Floats, out: Floats, t1: Floats, t2: Floats, count: int
) -> None:
    """Write the adjoint of an operand."""
    if code == 3 or code == 4:  # add, sub
        for i in range(count):
            out[i] = g[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = g[i] * b[i]
    elif code == 6:  # div
        for i in range(count):
            out[i] = g[i] * (1.0 / b[i])
    elif code == 7:  # pow
        for i in range(count):
            t1[i] = b[i] - 1.0
        power_rows_rows_block(a, t1, t2, count)
        for i in range(count):
            out[i] = g[i] * (b[i] * t2[i])


@compiled(f"void(int64, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, int64)")
def rows_rows_right_partial(
    code: int, a: Floats, b: Floats, v: Floats, g: Floats, out: Floats, t1: Floats, t2: Floats, count: int
) -> None:
    """Write the adjoint of an operand."""
    if code == 3:  # add
        for i in range(count):
            out[i] = g[i]
    elif code == 4:  # sub
        for i in range(count):
            out[i] = -g[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = g[i] * a[i]
    elif code == 6:  # div
        for i in range(count):
            out[i] = g[i] * (-v[i] / b[i])
    elif code == 7:  # pow
        for i in range(count):
            t1[i] = maximum(abs(a[i]), 5e-324)
        log_block(t1, t2, count)
        for i in range(count):
            out[i] = g[i] * (v[i] * t2[i])


@compiled(f"void(int64, {POINTER}, float64, {POINTER}, int64)")
def rows_number_values(code: int, a: Floats, b: float, out: Floats, count: int) -> None:
    """Write the value of an operator."""
    if code == 3:  # add
        for i in range(count):
            out[i] = a[i] + b
    elif code == 4:  # sub
        for i in range(count):
            out[i] = a[i] - b
    elif code == 5:  # mul
        for i in range(count):
            out[i] = a[i] * b
    elif code == 6:  # div
        for i in range(count):
            out[i] = a[i] / b
    elif code == 7:  # pow
        power_rows_number_block(a, b, out, count)


@compiled(f"void(int64, {POINTER}, float64, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, int64)")
def rows_number_left_partial(
    code: int, a: Floats, b: float, v: Floats, g: Floats, out: Floats, t1: Floats, t2: Floats, count: int
) -> None:
    """Write the adjoint of an operand."""
    if code == 3 or code == 4:  # add, sub
        for i in range(count):
            out[i] = g[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = g[i] * b
    elif code == 6:  # div
        for i in range(count):
            out[i] = g[i] * (1.0 / b)
    elif code == 7:  # pow
        power_rows_number_block(a, b - 1.0, t1, count)
        for i in range(count):
            out[i] = g[i] * (b * t1[i])


@compiled(f"void(int64, {POINTER}, float64, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, int64)")
def rows_number_right_partial(
    code: int, a: Floats, b: float, v: Floats, g: Floats, out: Floats, t1: Floats, t2: Floats, count: int
) -> None:
    """Write the adjoint of an operand."""
    if code == 3:  # add
        for i in range(count):
            out[i] = g[i]
    elif code == 4:  # sub
        for i in range(count):
            out[i] = -g[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = g[i] * a[i]
    elif code == 6:  # div
        for i in range(count):
            out[i] = g[i] * (-v[i] / b)
    elif code == 7:  # pow
        for i in range(count):
            t1[i] = maximum(abs(a[i]), 5e-324)
        log_block(t1, t2, count)
        for i in range(count):
            out[i] = g[i] * (v[i] * t2[i])


@compiled(f"void(int64, float64, {POINTER}, {POINTER}, int64)")
def number_rows_values(code: int, a: float, b: Floats, out: Floats, count: int) -> None:
    """Write the value of an operator."""
    if code == 3:  # add
        for i in range(count):
            out[i] = a + b[i]
    elif code == 4:  # sub
        for i in range(count):
            out[i] = a - b[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = a * b[i]
    elif code == 6:  # div
        for i in range(count):
            out[i] = a / b[i]
    elif code == 7:  # pow
        power_number_rows_block(a, b, out, count)


@compiled(f"void(int64, float64, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, int64)")
def number_rows_left_partial(
    code: int, a: float, b: Floats, v: Floats, g: Floats, out: Floats, t1: Floats, t2: Floats, count: int
) -> None:
    """Write the adjoint of an operand."""
    if code == 3 or code == 4:  # add, sub
        for i in range(count):
            out[i] = g[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = g[i] * b[i]
    elif code == 6:  # div
        for i in range(count):
            out[i] = g[i] * (1.0 / b[i])
    elif code == 7:  # pow
        for i in range(count):
            t1[i] = b[i] - 1.0
        power_number_rows_block(a, t1, t2, count)
        for i in range(count):
            out[i] = g[i] * (b[i] * t2[i])


@compiled(f"void(int64, float64, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, {POINTER}, int64)")
def number_rows_right_partial(
    code: int, a: float, b: Floats, v: Floats, g: Floats, out: Floats, t1: Floats, t2: Floats, count: int
) -> None:
    """Write the adjoint of an operand."""
    if code == 3:  # add
        for i in range(count):
            out[i] = g[i]
    elif code == 4:  # sub
        for i in range(count):
            out[i] = -g[i]
    elif code == 5:  # mul
        for i in range(count):
            out[i] = g[i] * a
    elif code == 6:  # div
        for i in range(count):
            out[i] = g[i] * (-v[i] / b[i])
    elif code == 7:  # pow
        for i in range(count):
            out[i] = g[i] * (v[i] * np.log(maximum(abs(a), 5e-324)))
