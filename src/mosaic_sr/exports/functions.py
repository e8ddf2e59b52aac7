"""The functions that operator rows may call, by numpy's names, and the short words that most other languages have."""

from __future__ import annotations

# What every language here has, but for the arithmetic of sympy.
COMMON = ("sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "floor")
ARCS = ("arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh")
LOGARITHMS = ("log2", "log10", "log1p", "expm1")
OF_TWO = ("hypot", "arctan2")
OTHERS = ("abs", "cbrt", "exp2", "ceil", "trunc", "sign", "copysign", "maximum", "minimum")
ALL = (*COMMON, *ARCS, *LOGARITHMS, *OF_TWO, *OTHERS)
# Functions that numpy leaves to scipy.
SPECIAL = ("erf", "erfc", "gamma")
SHORT = {name: name.replace("arc", "a") for name in (*ARCS, "arctan2")}
