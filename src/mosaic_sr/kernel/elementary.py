"""Elementary functions over blocks of rows: branch-free range reduction and a polynomial, so that loops vectorise.

Each function of one number holds on an interval of ordinary arguments; the block loops that `generate` writes hand the
rest to libm, one by one.
Coefficients are minimax for the relative error of the function on the reduced interval, lowest power first.
"""

from __future__ import annotations

import numpy as np

from mosaic_sr.kernel.jit import bits_float, compiled, float_bits, multiply_add

# Adding 1.5 * 2^52 rounds to an integer, which then stands in the lowest bits of the sum.
_ROUND = 6755399441055744.0
_SIGN = -(2**63)

_PI = (3.141592653589793, 1.2246467991473532e-16)
_HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
_QUARTER_PI = (0.7853981633974483, 3.061616997868383e-17)
# To be subtracted n times (Cody and Waite): all parts but the last have few bits, 27 and 42, so that products
# with n are exact, on processors without a fused multiply-add too.
_PI_PARTS = (3.141592651605606, 1.9841871479187034e-09, 1.144237741932715e-17, 3.2892513872648515e-26)
_HALF_PI_PARTS = (1.570796325802803, 9.920935739593517e-10, 5.721188709663575e-18, 1.6446256936324258e-26)
_LOG_2_PARTS = (0.6931471805598903, 5.497923018708371e-14)

# sin(r) = r + r^3 p(r^2), |r| <= pi / 2
_SIN_WIDE = (
    -0.16666666666666666,
    0.008333333333333194,
    -0.00019841269841209145,
    2.7557319211124294e-06,
    -2.505210687158184e-08,
    1.6058939643029555e-10,
    -7.64298981558238e-13,
    2.7211569602352994e-15,
)
# sin(r) = r + r^3 p(r^2), cos(r) = 1 - r^2 / 2 + r^4 p(r^2), |r| <= pi / 4
_SIN_NARROW = (
    -0.1666666666666663,
    0.008333333333322108,
    -0.0001984126982958019,
    2.7557313618025335e-06,
    -2.5050747219346377e-08,
    1.5896197697237549e-10,
)
_COS_NARROW = (
    0.041666666666666595,
    -0.0013888888888873047,
    2.480158728884475e-05,
    -2.7557314176951205e-07,
    2.087570048716788e-09,
    -1.1358516646602836e-11,
)
# exp(r) - 1 = r + r^2 p(r), |r| <= log(2) / 2
_EXP = (
    0.5,
    0.16666666666666677,
    0.041666666666666505,
    0.00833333333332164,
    0.0013888888888962713,
    0.00019841269886134558,
    2.4801587172030126e-05,
    2.7557244172045408e-06,
    2.7557402882458787e-07,
    2.5109059389797497e-08,
    2.087532442209442e-09,
)
# log((1 + s) / (1 - s)) = 2 s + s^3 p(s^2), |s| <= 0.172
_LOG = (
    0.6666666666666734,
    0.39999999999413965,
    0.28571428742561766,
    0.2222219855380347,
    0.18183565407116434,
    0.15314021106526068,
    0.14796261411290096,
)
# atan(t) = t + t^3 p(t^2), |t| <= tan(pi / 8)
_ATAN = (
    -0.333333333333332,
    0.19999999999954,
    -0.1428571428023972,
    0.11111110785677508,
    -0.09090897822675008,
    0.07692061383444417,
    -0.06663117410273245,
    0.058479866741759874,
    -0.050397427571447696,
    0.03807565004166681,
    -0.017919292319393734,
)
# asin(s) = s + s^3 p(s^2), |s| <= 1 / 2
_ASIN = (
    0.16666666666665383,
    0.07500000000343059,
    0.04464285682347329,
    0.030381959331544892,
    0.022371753518221803,
    0.017359771159864368,
    0.013884598117024688,
    0.012173280907972536,
    0.006510848450736413,
    0.019573915712940947,
    -0.016294084102629794,
    0.031958970380138514,
)


@compiled(inline="always")
def _polynomial(coefficients: tuple[float, ...], z: float) -> float:
    """Horner's rule; unrolled, because the length is part of the tuple's type."""
    total = coefficients[-1]
    for index in range(2, len(coefficients) + 1):
        total = multiply_add(total, z, coefficients[-index])
    return total


@compiled(inline="always")
def _without(parts: tuple[float, ...], n: float, x: float) -> float:
    """What is left of x when n times the sum of the parts is subtracted."""
    for part in parts:
        x = multiply_add(n, -part, x)
    return x


@compiled(inline="always")
def _with_sign(magnitude: float, sign: float) -> float:
    """The magnitude with its sign flipped where `sign` is negative."""
    return bits_float(float_bits(magnitude) ^ (float_bits(sign) & _SIGN))


@compiled(inline="always")
def _sin_wide(r: float) -> float:
    z = r * r
    return multiply_add(r * z, _polynomial(_SIN_WIDE, z), r)


@compiled(inline="always")
def sin(x: float) -> float:
    """The sine for |x| <= 2^26."""
    shifted = multiply_add(abs(x), 0.3183098861837907, _ROUND)
    n = shifted - _ROUND
    r = _without(_PI_PARTS, n, abs(x))
    flipped = float_bits(_sin_wide(r)) ^ (float_bits(shifted) << 63)
    return _with_sign(bits_float(flipped), x)


@compiled(inline="always")
def cos(x: float) -> float:
    """The cosine for |x| <= 2^26, as the sine of the distance to an odd multiple of pi / 2."""
    shifted = multiply_add(abs(x), 0.3183098861837907, -0.5) + _ROUND
    n = multiply_add(shifted - _ROUND, 2.0, 1.0)
    r = _without(_HALF_PI_PARTS, n, abs(x))
    return bits_float(float_bits(_sin_wide(r)) ^ ((float_bits(shifted) + 1) << 63))


@compiled(inline="always")
def tan(x: float) -> float:
    """The tangent for |x| <= 2^26."""
    shifted = multiply_add(abs(x), 0.6366197723675814, _ROUND)
    n = shifted - _ROUND
    r = _without(_HALF_PI_PARTS, n, abs(x))
    z = r * r
    sine = multiply_add(r * z, _polynomial(_SIN_NARROW, z), r)
    cosine = multiply_add(z * z, _polynomial(_COS_NARROW, z), multiply_add(z, -0.5, 1.0))
    is_even = (float_bits(shifted) & 1) == 0
    numerator = sine if is_even else -cosine
    denominator = cosine if is_even else sine
    return _with_sign(numerator / denominator, x)


@compiled(inline="always")
def exp(x: float) -> float:
    """The exponential where it is a normal number: -708 <= x <= 709."""
    shifted = multiply_add(x, 1.4426950408889634, _ROUND)
    n = shifted - _ROUND
    r = _without(_LOG_2_PARTS, n, x)
    power = multiply_add(r * r, _polynomial(_EXP, r), r) + 1.0
    return bits_float(float_bits(power) + (float_bits(shifted) << 52))


@compiled(inline="always")
def _expm1(x: float) -> tuple[float, float]:
    """The value of exp(x) - 1 for -708 <= x <= 709 as a sum of two numbers, the second being the rounding error."""
    shifted = multiply_add(x, 1.4426950408889634, _ROUND)
    n = shifted - _ROUND
    r = _without(_LOG_2_PARTS, n, x)
    scale = bits_float((float_bits(shifted) + 1023) << 52)
    curve = r * r * _polynomial(_EXP, r)
    part = r + curve
    whole = scale * part + (scale - 1.0)
    return whole, scale * part - (whole - (scale - 1.0)) + scale * (curve - (part - r))


@compiled(inline="always")
def log(x: float) -> float:
    """The logarithm of a positive normal number: x = 2^k m with m in [sqrt(1/2), sqrt(2))."""
    above = float_bits(x) + (0x3FF0000000000000 - 0x3FE6A09E667F3BCD)
    m = bits_float((above & 0xFFFFFFFFFFFFF) + 0x3FE6A09E667F3BCD)
    # The exponent as a float: its bits below those of 2^52, minus 2^52 and the bias.
    k = bits_float((above >> 52) | 0x4330000000000000) - 4503599627371519.0
    f = m - 1.0
    s = f / (f + 2.0)
    z = s * s
    half = 0.5 * f * f
    tail = multiply_add(s, multiply_add(z, _polynomial(_LOG, z), half), k * _LOG_2_PARTS[1])
    return multiply_add(k, _LOG_2_PARTS[0], f - (half - tail))


@compiled(inline="always")
def tanh(x: float) -> float:
    """The hyperbolic tangent of any number but NaN."""
    y = -2.0 * abs(x)
    t, t_tail = _expm1(y if y > -80.0 else -80.0)
    denominator = t + 2.0
    denominator_tail = t - (denominator - 2.0) + t_tail
    inverse = -1.0 / denominator
    quotient = t * inverse
    remainder = multiply_add(quotient, denominator, t) + multiply_add(quotient, denominator_tail, t_tail)
    return _with_sign(abs(multiply_add(remainder, inverse, quotient)), x)


@compiled(inline="always")
def sinh(x: float) -> float:
    """The hyperbolic sine for |x| <= 709."""
    t, t_tail = _expm1(abs(x))
    return _with_sign(0.5 * (t + (t / (t + 1.0) + t_tail)), x)


@compiled(inline="always")
def cosh(x: float) -> float:
    """The hyperbolic cosine for |x| <= 709."""
    power = exp(abs(x))
    return 0.5 * power + 0.5 / power


@compiled(inline="always")
def arctan(x: float) -> float:
    """The arc tangent of any number but NaN: t is x, (x - 1) / (x + 1) or -1 / x by the size of x."""
    y = abs(x)
    is_large = y > 2.414213562373095
    is_small = y < 0.41421356237309503
    numerator = y if is_small else (-1.0 if is_large else y - 1.0)
    denominator = 1.0 if is_small else (y if is_large else y + 1.0)
    base = 0.0 if is_small else (_HALF_PI[0] if is_large else _QUARTER_PI[0])
    base_tail = 0.0 if is_small else (_HALF_PI[1] if is_large else _QUARTER_PI[1])
    t = numerator / denominator
    z = t * t
    return _with_sign(base + (multiply_add(t * z, _polynomial(_ATAN, z), base_tail) + t), x)


@compiled(inline="always")
def arcsin(x: float) -> float:
    """The arc sine for |x| <= 1; above 1/2 through the half angle."""
    y = abs(x)
    is_small = y <= 0.5
    z = y * y if is_small else multiply_add(y, -0.5, 0.5)
    s = y if is_small else np.sqrt(z)
    angle = multiply_add(s * z, _polynomial(_ASIN, z), s)
    return _with_sign(angle if is_small else (_HALF_PI[0] - 2.0 * angle) + _HALF_PI[1], x)


@compiled(inline="always")
def arccos(x: float) -> float:
    """The arc cosine for |x| <= 1; away from 0 through the half angle."""
    y = abs(x)
    is_small = y <= 0.5
    z = y * y if is_small else multiply_add(y, -0.5, 0.5)
    s = y if is_small else np.sqrt(z)
    angle = multiply_add(s * z, _polynomial(_ASIN, z), s)
    middle = _HALF_PI[0] - (_with_sign(angle, x) - _HALF_PI[1])
    side = 2.0 * angle if x > 0.0 else _PI[0] - (2.0 * angle - _PI[1])
    return middle if is_small else side


@compiled(inline="always")
def copysign(magnitude: float, sign: float) -> float:
    """The magnitude, which is not negative, with the sign of `sign`."""
    return _with_sign(magnitude, sign)


@compiled(inline="always")
def maximum(a: float, b: float) -> float:
    """The larger of two numbers; NaN when one of them is."""
    return b if (a < b) | (b != b) else a


_LARGE = 2.0**26

# Where the functions above hold, by the name that they share with numpy and the operator table.
ORDINARY: dict[str, tuple[float, float]] = {
    "sin": (-_LARGE, _LARGE),
    "cos": (-_LARGE, _LARGE),
    "tan": (-_LARGE, _LARGE),
    "exp": (-708.0, 709.0),
    "log": (2.2250738585072014e-308, 1.7976931348623157e308),
    "tanh": (-np.inf, np.inf),
    "sinh": (-709.0, 709.0),
    "cosh": (-709.0, 709.0),
    "arctan": (-np.inf, np.inf),
    "arcsin": (-1.0, 1.0),
    "arccos": (-1.0, 1.0),
}
