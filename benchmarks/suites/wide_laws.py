"""Draws laws of four columns, at most six operators and at least one column that shows nothing of itself alone."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from benchmarks.suites.problem import Floats, column_names
from mosaic_sr import evaluate_expression, num_operators, parse

NUM_REAL, MOST_OPERATORS = 4, 6
# The letters are columns, U a function of one, {n} and {m} are numbers.
FORMS = (
    "{n}*a*b + c*d",
    "a*b + {n}*c + {m}*d",
    "a*b*c + {n}*d",
    "a*U(b) + {n}*c*d",
    "(a + {n}*b)*(c - d)",
    "(a + {n}*b)*U(c)*d",
    "{n}*a*b/(c + d)",
    "a*b + {n}*U(c)*d",
    "a*U({n}*b) + c*d",
    "a*b + {n}*U(c*d)",
    "a*b + U(c) - {n}*d",
    "a*(b + {n}*c*d)",
    "{n}*U(a - b) + c*d",
    "a*sqrt(b) - {n}*c/d",
    "{n}*a*b + c/(1 + d)",
    "a*b*exp(-{n}*c) + d",
)
FUNCTIONS = ("sin", "cos", "tanh", "exp", "abs")
# Products of columns with both signs show nothing in one column alone; signs are +1 and -1.
KINDS = {"normal": 0.45, "centred": 0.25, "positive": 0.2, "signs": 0.1}
NUM_TRIAL_ROWS = 4_000
# Share of the variance that depends on a column, at least: four hundred times the variance of 1 % noise.
LEAST_SHARE = 0.04
# A correlation with the target that 500 rows cannot tell from none among 2,000 columns: chance reaches 0.17.
UNSEEN = 0.05
# A target farther out than so many deviations is one row's law.
FARTHEST = 12.0


@dataclass(frozen=True)
class WideLaw:
    """A law over x0 .. x3 and the kinds of these columns."""

    formula: str
    kinds: tuple[str, ...]


def draw_column(kind: str, rows: int, rng: np.random.Generator) -> Floats:
    """A column of one of the kinds."""
    if kind == "normal":
        return rng.standard_normal(rows)
    if kind == "centred":
        return rng.uniform(-2.0, 2.0, rows)
    if kind == "positive":
        return rng.uniform(0.5, 3.0, rows)
    return rng.choice((-1.0, 1.0), rows)


def draw_kind(rng: np.random.Generator) -> str:
    return str(rng.choice(list(KINDS), p=list(KINDS.values())))


def draw_law(rng: np.random.Generator) -> WideLaw:
    """A law in which all four columns count and one at least is not seen alone; others are drawn again."""
    while True:
        law = WideLaw(_filled(str(rng.choice(FORMS)), rng), tuple(draw_kind(rng) for _ in range(NUM_REAL)))
        if _is_admitted(law, rng):
            return law


def _filled(form: str, rng: np.random.Generator) -> str:
    text = form.replace("U", str(rng.choice(FUNCTIONS)))
    for letter, place in zip("abcd", rng.permutation(NUM_REAL), strict=True):
        text = "".join(_words(text, letter, f"x{place}"))
    return text.replace("{n}", _number(rng)).replace("{m}", _number(rng))


def _words(text: str, letter: str, name: str) -> list[str]:
    """The text in pieces, with the letter replaced where it stands alone."""
    padded = f" {text} "
    return [
        name if own == letter and not padded[i].isalnum() and not padded[i + 2].isalnum() else own
        for i, own in enumerate(text)
    ]


def _number(rng: np.random.Generator) -> str:
    return f"{float(np.exp(rng.uniform(np.log(0.4), np.log(2.5)))):.3g}"


def _is_admitted(law: WideLaw, rng: np.random.Generator) -> bool:
    expression = parse(law.formula, column_names(NUM_REAL))
    if len(expression.columns) != NUM_REAL or num_operators(expression) > MOST_OPERATORS or not _bends(law):
        return False
    columns = np.stack([draw_column(kind, NUM_TRIAL_ROWS, rng) for kind in law.kinds])
    with np.errstate(all="ignore"):
        target = evaluate_expression(expression, columns)
        if not np.all(np.isfinite(target)) or np.abs(target - target.mean()).max() > FARTHEST * target.std():
            return False
        shares = [_share(expression, columns, target, place, rng) for place in range(NUM_REAL)]
    correlations = [abs(float(np.corrcoef(own, target)[0, 1])) for own in columns]
    return min(shares) >= LEAST_SHARE and min(correlations) < UNSEEN


def _bends(law: WideLaw) -> bool:
    """Whether no function is a straight line in these rows: two values show no bend, nor does abs of one sign."""
    calls = re.findall(r"([a-z]+)\(([^)]*)\)", law.formula)
    kinds = [(name, {law.kinds[int(place)] for place in re.findall(r"x(\d)", inside)}) for name, inside in calls]
    return all("signs" not in own and not (name == "abs" and own == {"positive"}) for name, own in kinds)


def _share(expression: object, columns: Floats, target: Floats, place: int, rng: np.random.Generator) -> float:
    """Share of the variance that depends on a column: half the mean square change where its values are shuffled."""
    moved = columns.copy()
    moved[place] = rng.permutation(columns[place])
    change = evaluate_expression(expression, moved) - target  # type: ignore[arg-type]
    return float(np.mean(np.square(change)) / (2.0 * target.var()))
