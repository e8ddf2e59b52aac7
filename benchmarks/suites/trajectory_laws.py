"""Draws systems of one to three ordinary differential equations, each rate a sum of two to four usual terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.simple_numbers import is_simple
from benchmarks.suites.fisher import LEAST_ERRORS, errors_away
from benchmarks.suites.problem import Floats, column_names
from benchmarks.suites.runge_kutta import runge_kutta
from mosaic_sr import evaluate_expression, parse

NUM_STATES, STATE_SHARES = (1, 2, 3), (0.25, 0.4, 0.35)
ROWS = (100, 150, 200)
SPAN = (1.5, 15.0)  # times of a curve, by decades; rates of about 1 change a state in times of about 1
# Runge-Kutta steps between two rows: a step of at most 0.04, while rates change a state in times of about 1.
SUBSTEPS = 4
# Farther states have left the range in which a saturating term and a wave are told from a power.
LARGEST_STATE = 30.0
# A column must vary by this share of its size, and still move by this share of its range in the second half.
LEAST_SPREAD, LEAST_MOVE = 0.1, 0.1
# Every number of the law must be told even from rows with this noise, far above single precision.
NOISE = 1e-3
# Two curves of a system: the second, which tests, starts elsewhere.
OTHER_START = (0.6, 1.5)


@dataclass(frozen=True)
class Style:
    """Terms that raise a state u or drive it by a state v, and terms that hold it; where curves start."""

    driving: tuple[str, ...]
    holding: tuple[str, ...]
    is_positive: bool


# Amounts: what is lost has the amount as a factor, so that it stays positive.
AMOUNTS = Style(
    driving=(
        "{A}", "{A}*{v}", "{A}*{u}", "{A}*{u}*{v}", "{A}*{v}/({K} + {v})", "{A}*{v}^2/({K} + {v}^2)", "{A}/({K} + {v})",
        "{A}/(1 + {v}^2)", "{A}*exp(-{k}*{v})", "{A}*{v}*exp(-{k}*{v})", "{A}*sqrt({v})", "{A}*{u}*{v}/({K} + {v})",
    ),
    holding=(
        "{A}*{u}", "{A}*{u}^2", "{A}*{u}*{v}", "{A}*{u}^2*{v}", "{A}*{u}/({K} + {u})", "{A}*{u}*{v}/({K} + {u})",
        "{A}*{u}^2/({K} + {u}^2)", "{A}*{u}*sqrt({v})",
    ),
    is_positive=True,
)  # fmt: skip
# Angles, positions, speeds and currents: waves, powers and friction.
MOTIONS = Style(
    driving=(
        "{A}", "{A}*{v}", "{A}*sin({v})", "{A}*cos({v})", "{A}*sin({u} - {v})", "{A}*{u}*{v}", "{A}*{v}^2", "{A}*{v}^3",
        "{A}*tanh({k}*{v})", "{A}*sin({k}*{v})", "{A}*exp(-{k}*{v}^2)", "{A}*{v}*exp(-{k}*{v}^2)", "{A}*{u}*cos({v})",
    ),
    holding=("{A}*{u}", "{A}*{u}^3", "{A}*{u}*abs({u})", "{A}*tanh({k}*{u})", "{A}*{u}*{v}^2"),
    is_positive=False,
)  # fmt: skip


@dataclass(frozen=True)
class System:
    """rates: of the states x0, x1, ..., the rate of the first is the law.  starts: of both curves, (curves, states)."""

    rates: tuple[str, ...]
    starts: tuple[tuple[float, ...], ...]
    span: float
    rows: int


def draw_system(rng: np.random.Generator) -> System:
    """A system whose first rate is determined by one of its curves."""
    while True:
        system = _drawn(rng)
        if _shows_its_law(system):
            return system


def _drawn(rng: np.random.Generator) -> System:
    count = int(rng.choice(NUM_STATES, p=STATE_SHARES))
    style = AMOUNTS if rng.random() < 0.5 else MOTIONS
    rates = tuple(_draw_rate(place, count, style, rng) for place in range(count))
    start = rng.uniform(0.2, 3.0, count) if style.is_positive else rng.uniform(-2.5, 2.5, count)
    starts = np.stack([start, start * rng.uniform(*OTHER_START, count)])
    span = round(float(np.exp(rng.uniform(*np.log(SPAN)))), 1)
    return System(rates, tuple(tuple(row) for row in np.round(starts, 2).tolist()), span, int(rng.choice(ROWS)))


def _draw_rate(place: int, num_states: int, style: Style, rng: np.random.Generator) -> str:
    """One or two terms that hold the state and one or two that drive it, in random order; no term stands twice."""
    kinds = [(term, "-") for term in _some(style.holding, rng)]
    kinds += [(term, "+" if style.is_positive or rng.random() < 0.6 else "-") for term in _some(style.driving, rng)]
    terms = [(sign, _filled(term, place, num_states, rng)) for term, sign in kinds]
    ordered: list[tuple[str, str]] = [terms[index] for index in rng.permutation(len(terms))]
    first_sign, first = ordered[0]
    return ("-" if first_sign == "-" else "") + first + "".join(f" {sign} {term}" for sign, term in ordered[1:])


def _some(terms: Sequence[str], rng: np.random.Generator) -> list[str]:
    return [str(term) for term in rng.choice(terms, int(rng.integers(1, 3)), replace=False)]


def _filled(term: str, place: int, num_states: int, rng: np.random.Generator) -> str:
    """The term over the state at this place and another one; the same where there is no other."""
    others = [state for state in range(num_states) if state != place] or [place]
    numbers = {letter: _number(rng) for letter in ("A", "K", "k")}
    return term.format(u=f"x{place}", v=f"x{int(rng.choice(others))}", **numbers)


def _number(rng: np.random.Generator) -> str:
    """A number of two or three digits about 1 that no law would hold to be exact."""
    while True:
        value = float(f"{np.exp(rng.uniform(-1.2, 1.2)):.{int(rng.integers(2, 4))}g}")
        if not is_simple(value):
            return repr(value)


@lru_cache(maxsize=512)
def integrate(system: System) -> Floats:
    """Both curves of a system by Runge-Kutta: (curves, states, rows), single precision; NaN where they run away."""
    names = column_names(len(system.rates))
    sides = [parse(rate, names) for rate in system.rates]

    def slope(state: Floats) -> Floats:
        return np.stack([np.broadcast_to(evaluate_expression(side, state), state.shape[1:]) for side in sides])

    state, step = np.array(system.starts).T, system.span / ((system.rows - 1) * SUBSTEPS)
    points = [state]
    with np.errstate(all="ignore"):
        for _ in range(system.rows - 1):
            for _ in range(SUBSTEPS):
                state = runge_kutta(slope, state, step)
            if not np.abs(state).max() < LARGEST_STATE:
                return np.full((len(system.starts), len(sides), system.rows), np.nan)
            points.append(state)
    return np.stack(points).transpose(2, 1, 0).astype(np.float32).astype(np.float64)


def _shows_its_law(system: System) -> bool:
    """Whether the first curve stays near, all columns move throughout, and rows on it determine every number."""
    curves = integrate(system)
    if not np.isfinite(curves).all():
        return False
    columns = curves[0]
    whole = np.ptp(columns, axis=1)
    if (whole < LEAST_SPREAD * np.abs(columns).max(axis=1)).any():
        return False
    if (np.ptp(columns[:, system.rows // 2 :], axis=1) < LEAST_MOVE * whole).any():
        return False
    law = parse(system.rates[0], column_names(len(columns)))
    target = evaluate_expression(law, columns)
    if np.ptp(target) < LEAST_SPREAD * np.abs(target).max():
        return False
    return bool((errors_away(law, columns, NOISE * float(np.sqrt(np.mean(target**2)))) >= LEAST_ERRORS).all())
