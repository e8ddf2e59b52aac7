"""Block loops of all operators, generated from the operator table by `mosaic_sr.kernel.generate`.

Each function acts on one block: `a`, `b` operands, `v` value, `g` derivative of the root with respect to `v`.
"""

import numpy as np

from mosaic_sr.kernel.elementary import (
    BLOCKS,
    copysign,
    maximum,
    power_number_rows_block,
    power_rows_number_block,
    power_rows_rows_block,
)
from mosaic_sr.kernel.jit import compiled

sin_block = BLOCKS["sin"]
cos_block = BLOCKS["cos"]
tan_block = BLOCKS["tan"]
exp_block = BLOCKS["exp"]
log_block = BLOCKS["log"]
tanh_block = BLOCKS["tanh"]
sinh_block = BLOCKS["sinh"]
cosh_block = BLOCKS["cosh"]
arctan_block = BLOCKS["arctan"]
arcsin_block = BLOCKS["arcsin"]
arccos_block = BLOCKS["arccos"]


@compiled()
def unary_values(code, a, out):
    """Write the value of a unary operator."""
    if code == 8:  # neg
        for i in range(len(out)):
            out[i] = -a[i]
    elif code == 9:  # inv
        for i in range(len(out)):
            out[i] = 1.0 / a[i]
    elif code == 10:  # sq
        for i in range(len(out)):
            out[i] = a[i] * a[i]
    elif code == 11:  # cube
        for i in range(len(out)):
            out[i] = (a[i] * a[i]) * a[i]
    elif code == 12:  # sqrt
        for i in range(len(out)):
            out[i] = np.sqrt(a[i])
    elif code == 13:  # exp
        exp_block(a, out)
    elif code == 14:  # log
        log_block(a, out)
    elif code == 15:  # sin
        sin_block(a, out)
    elif code == 16:  # cos
        cos_block(a, out)
    elif code == 17:  # tan
        tan_block(a, out)
    elif code == 18:  # tanh
        tanh_block(a, out)
    elif code == 19:  # atan
        arctan_block(a, out)
    elif code == 20:  # abs
        for i in range(len(out)):
            out[i] = abs(a[i])
    elif code == 21:  # asin
        arcsin_block(a, out)
    elif code == 22:  # acos
        arccos_block(a, out)
    elif code == 23:  # sinh
        sinh_block(a, out)
    elif code == 24:  # cosh
        cosh_block(a, out)


@compiled()
def unary_partial(code, a, v, g, out, t1, t2):
    """Write the derivative with respect to the operand."""
    if code == 8:  # neg
        for i in range(len(out)):
            out[i] = -g[i]
    elif code == 9:  # inv
        for i in range(len(out)):
            out[i] = g[i] * (-v[i] * v[i])
    elif code == 10:  # sq
        for i in range(len(out)):
            out[i] = g[i] * (2.0 * a[i])
    elif code == 11:  # cube
        for i in range(len(out)):
            out[i] = g[i] * ((3.0 * a[i]) * a[i])
    elif code == 12:  # sqrt
        for i in range(len(out)):
            out[i] = g[i] * (0.5 / v[i])
    elif code == 13:  # exp
        for i in range(len(out)):
            out[i] = g[i] * v[i]
    elif code == 14:  # log
        for i in range(len(out)):
            out[i] = g[i] * (1.0 / a[i])
    elif code == 15:  # sin
        cos_block(a, t1)
        for i in range(len(out)):
            out[i] = g[i] * t1[i]
    elif code == 16:  # cos
        sin_block(a, t1)
        for i in range(len(out)):
            out[i] = g[i] * -t1[i]
    elif code == 17:  # tan
        for i in range(len(out)):
            out[i] = g[i] * (1.0 + (v[i] * v[i]))
    elif code == 18:  # tanh
        for i in range(len(out)):
            out[i] = g[i] * (1.0 - (v[i] * v[i]))
    elif code == 19:  # atan
        for i in range(len(out)):
            out[i] = g[i] * (1.0 / (1.0 + (a[i] * a[i])))
    elif code == 20:  # abs
        for i in range(len(out)):
            out[i] = g[i] * copysign(1.0, a[i])
    elif code == 21:  # asin
        for i in range(len(out)):
            out[i] = g[i] * (1.0 / np.sqrt(1.0 - (a[i] * a[i])))
    elif code == 22:  # acos
        for i in range(len(out)):
            out[i] = g[i] * (-1.0 / np.sqrt(1.0 - (a[i] * a[i])))
    elif code == 23:  # sinh
        cosh_block(a, t1)
        for i in range(len(out)):
            out[i] = g[i] * t1[i]
    elif code == 24:  # cosh
        sinh_block(a, t1)
        for i in range(len(out)):
            out[i] = g[i] * t1[i]


@compiled()
def rows_rows_values(code, a, b, out):
    """Write the value of a binary operator."""
    if code == 3:  # add
        for i in range(len(out)):
            out[i] = a[i] + b[i]
    elif code == 4:  # sub
        for i in range(len(out)):
            out[i] = a[i] - b[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = a[i] * b[i]
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = a[i] / b[i]
    elif code == 7:  # pow
        power_rows_rows_block(a, b, out)


@compiled()
def rows_rows_left_partial(code, a, b, v, g, out, t1, t2):
    """Write the derivative with respect to the left operand."""
    if code == 3 or code == 4:  # add, sub
        for i in range(len(out)):
            out[i] = g[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = g[i] * b[i]
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = g[i] * (1.0 / b[i])
    elif code == 7:  # pow
        for i in range(len(t1)):
            t1[i] = b[i] - 1.0
        power_rows_rows_block(a, t1, t2)
        for i in range(len(out)):
            out[i] = g[i] * (b[i] * t2[i])


@compiled()
def rows_rows_right_partial(code, a, b, v, g, out, t1, t2):
    """Write the derivative with respect to the right operand."""
    if code == 3:  # add
        for i in range(len(out)):
            out[i] = g[i]
    elif code == 4:  # sub
        for i in range(len(out)):
            out[i] = -g[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = g[i] * a[i]
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = g[i] * (-v[i] / b[i])
    elif code == 7:  # pow
        for i in range(len(t1)):
            t1[i] = maximum(abs(a[i]), 5e-324)
        log_block(t1, t2)
        for i in range(len(out)):
            out[i] = g[i] * (v[i] * t2[i])


@compiled()
def rows_number_values(code, a, b, out):
    """Write the value of a binary operator."""
    if code == 3:  # add
        for i in range(len(out)):
            out[i] = a[i] + b
    elif code == 4:  # sub
        for i in range(len(out)):
            out[i] = a[i] - b
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = a[i] * b
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = a[i] / b
    elif code == 7:  # pow
        power_rows_number_block(a, b, out)


@compiled()
def rows_number_left_partial(code, a, b, v, g, out, t1, t2):
    """Write the derivative with respect to the left operand."""
    if code == 3 or code == 4:  # add, sub
        for i in range(len(out)):
            out[i] = g[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = g[i] * b
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = g[i] * (1.0 / b)
    elif code == 7:  # pow
        power_rows_number_block(a, b - 1.0, t1)
        for i in range(len(out)):
            out[i] = g[i] * (b * t1[i])


@compiled()
def rows_number_right_partial(code, a, b, v, g, out, t1, t2):
    """Write the derivative with respect to the right operand."""
    if code == 3:  # add
        for i in range(len(out)):
            out[i] = g[i]
    elif code == 4:  # sub
        for i in range(len(out)):
            out[i] = -g[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = g[i] * a[i]
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = g[i] * (-v[i] / b)
    elif code == 7:  # pow
        for i in range(len(t1)):
            t1[i] = maximum(abs(a[i]), 5e-324)
        log_block(t1, t2)
        for i in range(len(out)):
            out[i] = g[i] * (v[i] * t2[i])


@compiled()
def number_rows_values(code, a, b, out):
    """Write the value of a binary operator."""
    if code == 3:  # add
        for i in range(len(out)):
            out[i] = a + b[i]
    elif code == 4:  # sub
        for i in range(len(out)):
            out[i] = a - b[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = a * b[i]
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = a / b[i]
    elif code == 7:  # pow
        power_number_rows_block(a, b, out)


@compiled()
def number_rows_left_partial(code, a, b, v, g, out, t1, t2):
    """Write the derivative with respect to the left operand."""
    if code == 3 or code == 4:  # add, sub
        for i in range(len(out)):
            out[i] = g[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = g[i] * b[i]
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = g[i] * (1.0 / b[i])
    elif code == 7:  # pow
        for i in range(len(t1)):
            t1[i] = b[i] - 1.0
        power_number_rows_block(a, t1, t2)
        for i in range(len(out)):
            out[i] = g[i] * (b[i] * t2[i])


@compiled()
def number_rows_right_partial(code, a, b, v, g, out, t1, t2):
    """Write the derivative with respect to the right operand."""
    if code == 3:  # add
        for i in range(len(out)):
            out[i] = g[i]
    elif code == 4:  # sub
        for i in range(len(out)):
            out[i] = -g[i]
    elif code == 5:  # mul
        for i in range(len(out)):
            out[i] = g[i] * a
    elif code == 6:  # div
        for i in range(len(out)):
            out[i] = g[i] * (-v[i] / b[i])
    elif code == 7:  # pow
        for i in range(len(out)):
            out[i] = g[i] * (v[i] * np.log(maximum(abs(a), 5e-324)))
