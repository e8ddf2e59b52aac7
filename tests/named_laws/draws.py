"""Constants for rows of the catalogue, and equations of laws that are written as text."""

import numpy as np

from mosaic_sr import parse
from mosaic_sr.equation import UNKNOWN, Equation


def drawn_constants(law, rng):
    """Constants within the conditions of a law, of a few orders of magnitude."""
    for _ in range(1000):
        sizes = np.exp(rng.uniform(-1.5, 1.5, len(law.parameters))).tolist()
        signs = [
            float(rng.choice([-1.0, 1.0])) if name in (*law.signed, *law.shifts) else 1.0 for name in law.parameters
        ]
        constants = {name: sign * size for name, sign, size in zip(law.parameters, signs, sizes, strict=True)}
        if law.allows(constants):
            return law.wrapped(constants)
    raise AssertionError(f"no constants of {law.name} meet its conditions")


def equation(text, names=("x",), **more):
    return Equation(parse(text, list(names)), tuple(names), UNKNOWN, UNKNOWN, "grammar", **more)
