"""Tables of a front and of a law's constants: data frames with PySR's names, CSV, LaTeX."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints import Verdict
from mosaic_sr.equation import Constant, Equation
from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.digits import is_rounding, with_error
from mosaic_sr.expressions.simple_numbers import closed_form
from mosaic_sr.files import write_atomically
from mosaic_sr.intervals.result import range_text
from mosaic_sr.visible import visible

if TYPE_CHECKING:
    import pandas as pd

# A loss of 0 has no logarithm; rounding leaves more than this.
LEAST_LOSS = 1e-300


class CallableEquation:
    """An equation as a function of an array or a frame (rows, columns)."""

    def __init__(self, equation: Equation) -> None:
        self._equation = equation

    def __call__(self, X: Any) -> NDArray[np.float64]:
        return self._equation.predict(np.ascontiguousarray(np.asarray(X, dtype=np.float64).T))

    def __repr__(self) -> str:
        return f"lambda X: {visible(self._equation.text())}"


def describe_closeness(law: Equation) -> str:
    """How well the law explains the rows, for a person."""
    if law.is_exact:
        return "exact to the rounding of the data"
    if law.agrees:
        return "agrees with every row, but has too many fitted constants to be called exact"
    return "not exact"


def front_cells(front: Sequence[Equation], law: Equation) -> tuple[list[str], list[list[str]]]:
    """The front as a table of texts: its head, and one row per equation with >>>> before the law, then its number.

    Probabilities have a column where laws were weighed; equations that were not have an empty cell.
    """
    shares = front_probabilities(front, law)
    is_weighed = any(map(math.isfinite, shares))
    head = ["", "index", "complexity", "validation loss", "R²", *(["probability"] if is_weighed else []), "equation"]
    return head, [
        [
            ">>>>" if equation.expression == law.expression else "",
            str(index),
            str(equation.complexity),
            f"{equation.validation.loss:.2e}",
            r_squared(equation.validation.nmse),
            *([f"{share:.2f}" if math.isfinite(share) else ""] if is_weighed else []),
            equation.text(precision=5),
        ]
        for index, (equation, share) in enumerate(zip(front, shares, strict=True))
    ]


def front_probabilities(front: Sequence[Equation], law: Equation) -> list[float]:
    """The probability of each equation of a front that is the law or one of its rivals; NaN for others."""
    known = {canonical(one.expression).structure_key: one.probability for one in (*law.ties, law)}
    found = (known.get(canonical(equation.expression).structure_key) for equation in front)
    return [math.nan if share is None else share for share in found]


def r_squared(nmse: float) -> str:
    """1 - NMSE to five decimals, cut rather than rounded: only a law without errors has 1."""
    if not math.isfinite(nmse) or nmse > 1000.0:
        return "< -999"
    return f"{math.floor((1.0 - nmse) * 1e5) / 1e5:.5f}"


def front_lines(front: Sequence[Equation], law: Equation) -> list[str]:
    """The front as lines of text in columns, a head first; an equation stays on one line."""
    head, rows = front_cells(front, law)
    widths = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)][:-1]
    lines = []
    for mark, *numbers, equation in (head, *rows):
        shown = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        lines.append("  ".join([f"{mark:4}", *shown, equation]))
    return lines


def front_text(front: Sequence[Equation], law: Equation, target: str) -> str:
    """One line per equation with >>>> before the law, and the law with all digits at the end."""
    return "\n".join(map(visible, [*front_lines(front, law), f"{target} = {law.text()}"]))


def front_table(front: Sequence[Equation], law: Equation) -> pd.DataFrame:
    """One row per equation, in order of complexity; picked: whether it is the law, r2: on the validation rows."""
    import pandas as pd

    rows = [
        {
            **line,
            "r2": 1.0 - equation.validation.nmse,
            "probability": share,
            "picked": equation.expression == law.expression,
            "name": equation.name,
            "sympy_format": equation.sympy_or_none(),
            "lambda_format": CallableEquation(equation),
        }
        for line, share, equation in zip(_lines(front), front_probabilities(front, law), front, strict=True)
    ]
    return pd.DataFrame(rows)


def rivals_table(rivals: Sequence[Equation]) -> pd.DataFrame:
    """One row per rival of a law, the most probable first; no rows where there is none."""
    import pandas as pd

    rows = [
        (
            rival.text(),
            math.nan if rival.probability is None else rival.probability,
            constants_text(rival),
            rival.complexity,
            CallableEquation(rival),
        )
        for rival in rivals
    ]
    frame = pd.DataFrame(rows, columns=["equation", "probability", "constants", "complexity", "lambda_format"])
    return frame.astype({"probability": float, "complexity": int})


def write_front(path: Path, front: Sequence[Equation]) -> None:
    """The front as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ["complexity", "loss", "validation_loss", "score", "equation"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(_lines(front))
    write_atomically(path, text.getvalue())


def constants_table(law: Equation) -> pd.DataFrame:
    """One row per constant in reading order: its value, its standard error, both as people write them, and the name
    of a physical constant, else empty. Units and intervals have columns where there are any.
    """
    import pandas as pd

    rows = [(value, error, with_error(value, error), name) for value, error, name in law.constants]
    frame = pd.DataFrame(rows, columns=["value", "standard_error", "text", "name"])
    frame = frame.astype({"value": float, "standard_error": float})
    if law.intervals:
        frame[["low_68", "high_68", "low_95", "high_95"]] = law.intervals
    return frame.assign(unit=list(law.constant_units)) if law.constant_units else frame


def constraints_table(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """One row per constraint: its text, whether the law keeps it, and how that was decided."""
    import pandas as pd

    rows = [(one.constraint, one.word, one.how) for one in verdicts]
    return pd.DataFrame(rows, columns=["constraint", "verdict", "how"])


def described_constants(law: Equation) -> list[str]:
    """One line per constant in reading order: its value ± its error, its unit, and the name of a physical constant.

    Numbers that are part of the form, as the 1 of 1/(1 + x) and 2*pi, have no line without a unit.
    """
    return [
        f"{with_unit(one, unit)}{f' ({one.name})' if one.name else ''}{_interval_words(ends)}"
        for one, unit, ends in zip(law.constants, law.units, law.intervals or repeat(()), strict=False)
        if unit or one.name or not _is_part_of_form(one)
    ]


def _is_part_of_form(constant: Constant) -> bool:
    """Whether a number is whole or printed in closed form, and nothing leaves it uncertain."""
    value, error = constant.value, constant.standard_error
    is_simple = value == math.floor(value) or closed_form(abs(value)) is not None
    return is_simple and (error == 0.0 or is_rounding(value, error))


def _interval_words(ends: Sequence[float]) -> str:
    return f"   68 %: {range_text(*ends[:2])}   95 %: {range_text(*ends[2:])}" if ends else ""


def with_unit(constant: Constant, unit: str) -> str:
    """Value and error with the unit behind them, in brackets where both stand there."""
    return beside_unit(with_error(constant.value, constant.standard_error), unit)


def beside_unit(text: str, unit: str) -> str:
    """A number with its unit, in brackets where its error stands beside it."""
    if not unit:
        return text
    return f"({text}) {unit}" if "±" in text else f"{text} {unit}"


def constants_text(law: Equation) -> str:
    """The fitted constants of a law with their errors and units on one line, in reading order."""
    pairs = zip(law.constants, law.units, strict=True)
    fitted = [pair for pair in pairs if pair[0].standard_error != 0.0 and not _is_part_of_form(pair[0])]
    return ", ".join(with_unit(one, unit) for one, unit in fitted)


def latex_table(front: Sequence[Equation], target: str, precision: int) -> str:
    """The front as a table for a paper; it needs the LaTeX package booktabs."""
    lines = [r"\begin{tabular}{rrrl}", r"\toprule", r"Complexity & Loss & Score & Equation \\", r"\midrule"]
    for line, equation in zip(_lines(front), front, strict=True):
        numbers = f"{line['complexity']} & {_latex_number(line['loss'])} & {_latex_number(line['score'])}"
        lines.append(rf"{numbers} & ${target} = {equation.latex(precision)}$ \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _latex_number(value: float) -> str:
    digits, _, exponent = f"{value:.3g}".partition("e")
    return rf"${digits} \cdot 10^{{{int(exponent)}}}$" if exponent else f"${digits}$"


def _lines(front: Sequence[Equation]) -> list[dict[str, Any]]:
    """The plain columns of the table of a front."""
    return [
        {
            "complexity": equation.complexity,
            "loss": equation.training.loss,
            "validation_loss": equation.validation.loss,
            "score": _score(equation, front[number - 1] if number else None),
            "equation": equation.text(),
        }
        for number, equation in enumerate(front)
    ]


def _score(equation: Equation, before: Equation | None) -> float:
    """Fall of the log loss per node since the simpler equation before it."""
    if before is None or equation.complexity == before.complexity:
        return 0.0
    fall = math.log(max(before.training.loss, LEAST_LOSS)) - math.log(max(equation.training.loss, LEAST_LOSS))
    return fall / (equation.complexity - before.complexity)
