"""Generated from the operator table: the value of an operator and its partial derivatives."""

import numpy as np

from mosaic_sr.kernel.jit import compiled


@compiled()
def value(code, a, b):
    if code == 3:  # add
        return a + b
    if code == 4:  # sub
        return a - b
    if code == 5:  # mul
        return a * b
    if code == 6:  # div
        return a / b
    if code == 7:  # pow
        return a ** b
    if code == 8:  # neg
        return -a
    if code == 9:  # inv
        return 1.0 / a
    if code == 10:  # sq
        return a * a
    if code == 11:  # cube
        return a * a * a
    if code == 12:  # sqrt
        return np.sqrt(a)
    if code == 13:  # exp
        return np.exp(a)
    if code == 14:  # log
        return np.log(a)
    if code == 15:  # sin
        return np.sin(a)
    if code == 16:  # cos
        return np.cos(a)
    if code == 17:  # tan
        return np.tan(a)
    if code == 18:  # tanh
        return np.tanh(a)
    if code == 19:  # atan
        return np.arctan(a)
    if code == 20:  # abs
        return abs(a)
    if code == 21:  # asin
        return np.arcsin(a)
    if code == 22:  # acos
        return np.arccos(a)
    if code == 23:  # sinh
        return np.sinh(a)
    if code == 24:  # cosh
        return np.cosh(a)
    return np.nan


@compiled()
def partial_a(code, a, b, v):
    if code == 3:  # add
        return 1.0
    if code == 4:  # sub
        return 1.0
    if code == 5:  # mul
        return b
    if code == 6:  # div
        return 1.0 / b
    if code == 7:  # pow
        return b * a ** (b - 1.0)
    if code == 8:  # neg
        return -1.0
    if code == 9:  # inv
        return -v * v
    if code == 10:  # sq
        return 2.0 * a
    if code == 11:  # cube
        return 3.0 * a * a
    if code == 12:  # sqrt
        return 0.5 / v
    if code == 13:  # exp
        return v
    if code == 14:  # log
        return 1.0 / a
    if code == 15:  # sin
        return np.cos(a)
    if code == 16:  # cos
        return -np.sin(a)
    if code == 17:  # tan
        return 1.0 + v * v
    if code == 18:  # tanh
        return 1.0 - v * v
    if code == 19:  # atan
        return 1.0 / (1.0 + a * a)
    if code == 20:  # abs
        return np.copysign(1.0, a)
    if code == 21:  # asin
        return 1.0 / np.sqrt(1.0 - a * a)
    if code == 22:  # acos
        return -1.0 / np.sqrt(1.0 - a * a)
    if code == 23:  # sinh
        return np.cosh(a)
    if code == 24:  # cosh
        return np.sinh(a)
    return np.nan


@compiled()
def partial_b(code, a, b, v):
    if code == 3:  # add
        return 1.0
    if code == 4:  # sub
        return -1.0
    if code == 5:  # mul
        return a
    if code == 6:  # div
        return -v / b
    if code == 7:  # pow
        return v * np.log(np.maximum(abs(a), 5e-324))
    return np.nan
