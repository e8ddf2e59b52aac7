"""Where an equation is observed: random input columns from several distributions and domains."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]

# Domains that people choose, beside the random ones.
DOMAINS = ((-1.0, 1.0), (0.0, 1.0), (-5.0, 5.0), (-10.0, 10.0), (1.0, 5.0), (0.1, 10.0), (0.0, 2.0), (1.0, 3.0))


def _uniform(rng: np.random.Generator, num_rows: int) -> Floats:
    if rng.random() < 0.5:
        low, high = DOMAINS[rng.integers(len(DOMAINS))]
    else:
        width = 10.0 ** rng.uniform(-0.5, 1.3)
        low = -width if rng.random() < 0.5 else width * rng.uniform(0.0, 2.0)
        high = low + 2.0 * width
    return rng.uniform(low, high, num_rows)


def _positive_uniform(rng: np.random.Generator, num_rows: int) -> Floats:
    low = 10.0 ** rng.uniform(-1.5, 0.7)
    return rng.uniform(low, low * 10.0 ** rng.uniform(0.3, 1.5), num_rows)


def _normal(rng: np.random.Generator, num_rows: int) -> Floats:
    scale = 10.0 ** rng.uniform(-0.5, 1.0)
    return rng.normal(scale * rng.choice([0.0, 0.0, 1.0, 3.0]), scale, num_rows)


def _log_uniform(rng: np.random.Generator, num_rows: int) -> Floats:
    decades = rng.uniform(0.5, 3.0)
    low = rng.uniform(-1.5, 1.0) - decades / 2.0
    return np.power(10.0, rng.uniform(low, low + decades, num_rows))


def _signed_log_uniform(rng: np.random.Generator, num_rows: int) -> Floats:
    magnitudes = _log_uniform(rng, num_rows)
    return np.where(rng.random(num_rows) < 0.5, -magnitudes, magnitudes)


def _heavy_tailed(rng: np.random.Generator, num_rows: int) -> Floats:
    scale = float(10.0 ** rng.uniform(-0.5, 0.5))
    return np.asarray(scale * rng.standard_t(rng.uniform(2.0, 5.0), num_rows))


def _grid(rng: np.random.Generator, num_rows: int) -> Floats:
    """Evenly spaced values in random order, as in a designed experiment."""
    low, high = DOMAINS[rng.integers(len(DOMAINS))]
    return rng.permutation(np.linspace(low, high, num_rows))


def _few_values(rng: np.random.Generator, num_rows: int) -> Floats:
    """A handful of levels, often whole numbers."""
    levels = np.arange(1.0, rng.integers(4, 13)) if rng.random() < 0.5 else _uniform(rng, int(rng.integers(4, 13)))
    return rng.choice(levels, num_rows)


DRAWS: tuple[tuple[Draw, float], ...] = (
    (_uniform, 0.32),
    (_positive_uniform, 0.22),
    (_normal, 0.1),
    (_log_uniform, 0.16),
    (_signed_log_uniform, 0.04),
    (_heavy_tailed, 0.04),
    (_grid, 0.08),
    (_few_values, 0.04),
)
_POSITIVE: tuple[Draw, ...] = (_positive_uniform, _log_uniform)
_CUMULATIVE = np.cumsum([weight for _, weight in DRAWS])


def draw_columns(rng: np.random.Generator, num_columns: int, num_rows: int, positive: bool = False) -> Floats:
    """Input columns of one data set: (columns, rows). Usually all columns share a kind of distribution."""
    shared = _pick(rng, positive)
    draws = [shared if rng.random() < 0.8 else _pick(rng, positive) for _ in range(num_columns)]
    return np.stack([draw(rng, num_rows) for draw in draws])


def _pick(rng: np.random.Generator, positive: bool) -> Draw:
    """A kind of distribution; positive ones only where an equation fails elsewhere, as log and sqrt do."""
    if positive:
        return _POSITIVE[rng.integers(len(_POSITIVE))]
    index = min(int(np.searchsorted(_CUMULATIVE, rng.random() * _CUMULATIVE[-1])), len(DRAWS) - 1)
    return DRAWS[index][0]
