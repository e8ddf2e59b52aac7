"""Draws laws as they are measured: curves of one quantity put together into laws of one to three columns.

Every law has one to five free numbers, in units of any size; see `fisher` for what is accepted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.simple_numbers import is_simple
from benchmarks.suites.fisher import is_determined
from benchmarks.suites.problem import Floats, column_names
from benchmarks.suites.sampling import Axis
from benchmarks.suites.shapes import (
    DECAYS,
    ENVELOPES,
    KINDS,
    POWERS,
    ROLES,
    SATURATIONS,
    WAVES,
    Range,
    Shape,
    draw_number,
)
from mosaic_sr import Expression, evaluate_expression, parse

MAX_NUMBERS = 5
# Curves of one column are what is measured most, and the hardest to tell apart.
COLUMN_SHARES = (0.5, 0.32, 0.18)
NUM_TRIAL_ROWS = 400
# How two columns make one quantity that a curve is drawn over.
PAIRINGS = ("{a}*{b}", "{a}/{b}", "{a}/{b}", "{a} + {b}")
# Plain factors of a product with one nonlinear factor.
FACTORS = ("{a}", "{a}", "{a}", "{a}^2", "sqrt({a})", "/{a}", "/{a}", "/{a}^2", "{a}^{P}")
# Quotients of sums; A and C stand for numbers in units of the target, the others as in `shapes`.
QUOTIENTS_OF_ONE = (
    "({A} + {C}*a/{Ka})/(1 + a/{Ka2})",
    "{A}*a/({Ka} + a) + {C}",
    "({A} + {C}*(a/{Ka})^2)/(1 + (a/{Ka2})^2)",
    "{A}*(1 + a/{Ka})/(1 + (a/{Ka2})^2)",
    "{A}/(a/{Ka} + {Ka2}/a)",
    "{A}/({D} + a/{Ka} + {Ka2}/a)",
)
QUOTIENTS_OF_TWO = (
    "{A}*a/({Ka}*(1 + b/{Kb}) + a)",
    "{A}*a/({Ka} + a*(1 + b/{Kb}))",
    "{A}*a*b/(({Ka} + a)*({Kb} + b))",
    "{A}*a/({Ka} + a + b)",
    "({A}*a + {C}*b)/(a + {D}*b)",
    "{A}*a*b/(a + {D}*b)",
    "{A}*(a - {D}*b)/(a + b)",
    "{A}/(1 + a/{Ka} + b/{Kb})",
    "({A} + {C}*a/{Ka})/(1 + b/{Kb})",
)


@dataclass(frozen=True)
class MeasuredLaw:
    """A law and where its columns lie."""

    formula: str
    axes: tuple[Axis, ...]


@dataclass(frozen=True)
class Bench:
    """What a law is drawn with: the ranges of its columns, trial rows, the unit of the target, and chance."""

    axes: tuple[Axis, ...]
    columns: Floats
    unit: float
    rng: np.random.Generator

    @property
    def names(self) -> tuple[str, ...]:
        return column_names(len(self.axes))

    def range_of(self, quantity: str) -> Range:
        """Where a quantity lies in the trial rows."""
        values = self.values(quantity)
        if values.min() < 0.0:
            return Range(0.0, float(np.abs(values).max()), True)
        return Range(float(values.min()), float(values.max()))

    def values(self, text: str) -> Floats:
        return np.broadcast_to(evaluate_expression(parse(text, self.names), self.columns), self.columns.shape[1])

    def shape(self, shapes: Sequence[Shape], quantity: str) -> str:
        """One of the curves over the quantity, in parentheses."""
        within = self.range_of(quantity)
        fitting = [shape for shape in shapes if shape.is_total or not within.has_both_signs]
        # Over positive quantities every kind will do; curves over both signs are few.
        chosen = fitting or [shape for kind in KINDS for shape in kind if shape.is_total]
        return f"({chosen[int(self.rng.integers(len(chosen)))].filled(quantity, within, self.rng)})"

    def any_shape(self, quantity: str) -> str:
        return self.shape(KINDS[int(self.rng.integers(len(KINDS)))], quantity)

    def amplitude(self, term: str) -> str:
        """The term times a number that brings it to about the unit of the target."""
        with np.errstate(all="ignore"):
            size = float(np.sqrt(np.mean(self.values(term) ** 2)))
        if not (np.isfinite(size) and size > 0.0):
            # No such law is determined; the next one is drawn.
            return f"0*{term}"
        number = self.number_of_size(self.unit / size)
        return number if term == "1" else f"{number}*{term}"

    def number_of_size(self, size: float) -> str:
        return draw_number(lambda _, rng: size * float(np.exp(rng.uniform(-1.0, 1.0))), _NOWHERE, self.rng)

    def signed(self) -> str:
        return "+" if self.rng.random() < 0.7 else "-"

    def choice(self, texts: Sequence[str]) -> str:
        return texts[int(self.rng.integers(len(texts)))]


_NOWHERE = Range(1.0, 1.0)


def _single(bench: Bench) -> str:
    return bench.amplitude(bench.any_shape("x0"))


def _with_offset(bench: Bench) -> str:
    return f"{_single(bench)} {bench.signed()} {bench.amplitude('1')}"


def _sum_of_two(bench: Bench) -> str:
    return f"{_single(bench)} {bench.signed()} {_single(bench)}"


def _sum_alike(bench: Bench) -> str:
    """Two decays, two saturations, two powers or two waves."""
    kind = (DECAYS, SATURATIONS, POWERS, WAVES)[int(bench.rng.integers(4))]
    terms = [bench.amplitude(bench.shape(kind[:2] if kind is DECAYS else kind, "x0")) for _ in range(2)]
    return f"{terms[0]} {bench.signed()} {terms[1]}"


def _wave_with_trend(bench: Bench) -> str:
    wave = bench.amplitude(bench.shape((*WAVES, *ENVELOPES), "x0"))
    trend = bench.choice(("x0", "1", "x0^2"))
    return f"{wave} {bench.signed()} {bench.amplitude(trend)}"


def _power_times_curve(bench: Bench) -> str:
    power = bench.choice(("x0", "x0^2", "sqrt(x0)", "1/x0"))
    return bench.amplitude(f"{power}*{bench.any_shape('x0')}")


def _quotient(templates: Sequence[str]) -> Callable[[Bench], str]:
    def quotient(bench: Bench) -> str:
        places = bench.rng.permutation(len(bench.axes))[:2]
        quantities = {letter: f"x{place}" for letter, place in zip("ab", places, strict=False)}
        return _fill(bench.choice(templates), quantities, bench)

    return quotient


def _fill(template: str, quantities: dict[str, str], bench: Bench) -> str:
    """The template with its letters replaced by quantities and its braces by numbers."""
    text = template
    for role in ("Ka2", "Ka", "Kb"):
        if f"{{{role}}}" in text:
            number = draw_number(ROLES["K"], bench.range_of(quantities[role[1]]), bench.rng)
            text = text.replace(f"{{{role}}}", number)
    for role in ("A", "C"):
        text = text.replace(f"{{{role}}}", bench.number_of_size(bench.unit))
    text = text.replace("{D}", draw_number(ROLES["D"], _NOWHERE, bench.rng))
    for letter, quantity in quantities.items():
        text = re.sub(rf"\b{letter}\b", quantity, text)
    return text


def _product(bench: Bench) -> str:
    """A curve of one column times plain factors of the others."""
    places = bench.rng.permutation(len(bench.axes)).tolist()
    return _with_factors(bench.any_shape(f"x{places[0]}"), places[1:], bench)


def _plain_product(bench: Bench) -> str:
    """A number times plain factors of all columns, most of them without a number of their own."""
    return _with_factors("1", list(range(len(bench.axes))), bench)


def _with_factors(text: str, places: Sequence[int], bench: Bench) -> str:
    for place in places:
        factor = bench.choice(FACTORS).replace("{a}", f"x{place}")
        factor = factor.replace("{P}", draw_number(ROLES["P"], _NOWHERE, bench.rng))
        text = f"{text}{factor}" if factor.startswith("/") else f"{text}*{factor}"
    return bench.amplitude(text)


def _sum_over_columns(bench: Bench) -> str:
    places = bench.rng.permutation(len(bench.axes)).tolist()
    terms = [bench.amplitude(bench.any_shape(f"x{place}")) for place in places[:2]]
    text = f"{terms[0]} {bench.signed()} {terms[1]}"
    return text if len(places) == 2 else f"x{places[2]}*({text})"


def _curve_of_pair(bench: Bench) -> str:
    """A curve over a product, a quotient or a sum of two columns; further columns are factors."""
    places = bench.rng.permutation(len(bench.axes)).tolist()
    pair = bench.choice(PAIRINGS).replace("{a}", f"x{places[0]}").replace("{b}", f"x{places[1]}")
    text = bench.amplitude(bench.any_shape(f"({pair})"))
    return text if len(places) == 2 else f"{text}{bench.choice(('*', '/'))}x{places[2]}"


def _product_and_term(bench: Bench) -> str:
    places = bench.rng.permutation(len(bench.axes)).tolist()
    product = bench.amplitude(f"x{places[1]}*{bench.any_shape(f'x{places[0]}')}")
    return f"{product} {bench.signed()} {bench.amplitude(bench.shape(POWERS, f'x{places[-1]}'))}"


COMPOSITIONS: dict[int, tuple[Callable[[Bench], str], ...]] = {
    1: (
        _single,
        _single,
        _with_offset,
        _with_offset,
        _sum_of_two,
        _sum_alike,
        _wave_with_trend,
        _power_times_curve,
        _quotient(QUOTIENTS_OF_ONE),
    ),
    2: (
        _product,
        _product,
        _plain_product,
        _sum_over_columns,
        _curve_of_pair,
        _product_and_term,
        _quotient(QUOTIENTS_OF_TWO),
    ),
    3: (_product, _product, _plain_product, _sum_over_columns, _curve_of_pair, _product_and_term, _product_and_term),
}


def draw_law(rng: np.random.Generator) -> MeasuredLaw:
    """A law whose rows determine it; others are drawn again."""
    while True:
        num_columns = 1 + int(rng.choice(3, p=COLUMN_SHARES))
        axes = tuple(draw_axis(rng) for _ in range(num_columns))
        columns = np.stack([axis.draw(NUM_TRIAL_ROWS, rng) for axis in axes])
        bench = Bench(axes, columns, draw_unit(rng), rng)
        formula = COMPOSITIONS[num_columns][int(rng.integers(len(COMPOSITIONS[num_columns])))](bench)
        law = parse(formula, bench.names)
        if _is_admitted(law, num_columns) and is_determined(law, columns, rng):
            return MeasuredLaw(formula, axes)


def _is_admitted(law: Expression, num_columns: int) -> bool:
    numbers = sum(not is_simple(float(value)) for value in set(law.constants.tolist()))
    return 1 <= numbers <= MAX_NUMBERS and len(law.columns) == num_columns


def draw_unit(rng: np.random.Generator) -> float:
    """The size that a quantity has in its unit: a usual one, or any."""
    return float(10.0 ** (rng.uniform(-1.0, 2.0) if rng.random() < 0.6 else rng.uniform(-7.0, 7.0)))


def draw_axis(rng: np.random.Generator) -> Axis:
    """Where and how a column is sampled: random or even, plain or by decades, a few with both signs."""
    high = float(f"{draw_unit(rng):.2g}")
    kind = str(rng.choice(("uniform", "uniform", "even", "log", "even-log")))
    if kind in ("log", "even-log"):
        return Axis(kind, float(f"{high / 10.0 ** rng.uniform(0.8, 2.2):.2g}"), high)
    if rng.random() < 0.12:
        return Axis(kind, -high, high)
    return Axis(kind, float(f"{high * rng.uniform(0.02, 0.3):.2g}"), high)
