"""`Comparison`: compared laws with their probabilities, where they differ, and where to measure next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any

from mosaic_sr.equation import Equation
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.expressions.digits import with_error
from mosaic_sr.law_values import finite
from mosaic_sr.parting import Stretch
from mosaic_sr.report import beside_unit
from mosaic_sr.verdict import chance
from mosaic_sr.visible import visible

if TYPE_CHECKING:
    import pandas as pd

# Digits of numbers in a formula that people compare; constants stand below with their errors.
SHOWN_DIGITS = 6


@dataclass(frozen=True)
class ComparedLaw:
    """A law with its constants fitted to the rows.

    number: its place among the laws given, from 1.  label: as it was given.
    constants: name, value and standard error of each fitted constant.  units: of these, () where none are known.
    log_evidence: log probability of the rows under the law, constants and noise integrated out.
    structure_bits: of the prior of its structure and of the numbers that it keeps.
    probability: among the compared laws, evidence and structure together.
    """

    number: int
    label: str
    law: Equation
    constants: tuple[tuple[str, float, float], ...]
    log_evidence: float
    structure_bits: float
    probability: float
    r2: float
    chi2_per_dof: float | None
    units: tuple[str, ...] = ()

    @property
    def told_constants(self) -> Iterator[tuple[str, float, float, str]]:
        """Name, value, standard error and unit of each fitted constant."""
        for (name, value, error), unit in zip(self.constants, self.units or repeat(""), strict=False):
            yield name, value, error, unit

    @property
    def num_constants(self) -> int:
        """How many constants were fitted."""
        return len(self.constants)


@dataclass(frozen=True)
class Difference:
    """Where the most probable law and another differ.

    rival: number of the other law.  stretches: the largest difference first.  words: the same for a person.
    """

    rival: int
    stretches: tuple[Stretch, ...]
    words: tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """Laws compared on the same rows, the most probable first.

    names: of the columns that the laws read.  noise: its size in words.  scatter: the same as numbers.
    """

    laws: tuple[ComparedLaw, ...]
    differences: tuple[Difference, ...]
    names: tuple[str, ...]
    target: str
    num_rows: int
    scatter: Scatter
    noise: str
    notes: tuple[str, ...]

    @property
    def best(self) -> Equation:
        """The most probable law, fitted."""
        return self.laws[0].law

    @property
    def table(self) -> pd.DataFrame:
        """One row per law, the most probable first."""
        import pandas as pd

        rows = [
            {
                "law": one.label, "probability": one.probability, "log_evidence": one.log_evidence,
                "structure_bits": one.structure_bits, "constants": one.num_constants, "r2": one.r2,
                "chi2_per_dof": one.chi2_per_dof, "fitted": one.law.text(),
            }
            for one in self.laws
        ]  # fmt: skip
        return pd.DataFrame(rows, index=[one.number for one in self.laws])

    def lines(self) -> list[str]:
        """The comparison for a person."""
        head = [f"{self.num_rows:,} rows; noise: {self.noise}", ""]
        told = [sentence for difference in self.differences for sentence in difference.words]
        notes = [f"note: {note}" for note in self.notes]
        return [*head, *self._table_lines(), "", *self._law_lines(), "", *told, *notes]

    def _table_lines(self) -> Iterator[str]:
        has_chi2 = any(one.chi2_per_dof is not None for one in self.laws)
        best = self.laws[0].log_evidence
        cells = [["law", "probability", "log evidence", "constants", "R²", *(["chi²/dof"] if has_chi2 else []), ""]]
        for one in self.laws:
            chi2 = [] if not has_chi2 else ["" if one.chi2_per_dof is None else f"{one.chi2_per_dof:.3g}"]
            numbers = [chance(one.probability), f"{one.log_evidence - best:+.1f}", str(one.num_constants)]
            cells.append([str(one.number), *numbers, f"{one.r2:.5f}", *chi2, one.label])
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for *numbers, label in cells:
            shown = (cell.rjust(width) for cell, width in zip(numbers, widths, strict=False))
            yield "  ".join([*shown, label]).rstrip()

    def _law_lines(self) -> Iterator[str]:
        for one in self.laws:
            yield f"{one.number}: {self.target} = {one.law.text(precision=SHOWN_DIGITS)}"
            for name, value, error, unit in one.told_constants:
                yield f"   {name} = {beside_unit(with_error(value, error), unit)}"

    def described(self) -> dict[str, Any]:
        """As plain values; null stands for numbers that are not known."""
        return {
            "target": self.target,
            "rows": self.num_rows,
            "noise": self.noise,
            "scatter": {name: finite(value) for name, value in vars(self.scatter).items()},
            "laws": [_described_law(one) for one in self.laws],
            "differences": [
                {
                    "laws": [self.laws[0].number, difference.rival],
                    "ranges": [self._described_stretch(stretch) for stretch in difference.stretches],
                    "text": list(difference.words),
                }
                for difference in self.differences
            ],
            "notes": list(self.notes),
        }

    def _described_stretch(self, stretch: Stretch) -> dict[str, Any]:
        return {
            "column": self.names[stretch.column],
            "from": stretch.start,
            "to": stretch.end,
            "times_scatter": finite(stretch.ratio),
            "outside": stretch.is_outside,
        }

    def __str__(self) -> str:
        return "\n".join(map(visible, self.lines()))


def _described_law(one: ComparedLaw) -> dict[str, Any]:
    return {
        "number": one.number,
        "law": one.label,
        "fitted": one.law.text(),
        "constants": [
            {"name": name, "value": value, "stderr": finite(error), **({"unit": unit} if unit else {})}
            for name, value, error, unit in one.told_constants
        ],
        "log_evidence": one.log_evidence,
        "structure_bits": one.structure_bits,
        "probability": one.probability,
        "r2": finite(one.r2),
        "chi2_per_dof": finite(one.chi2_per_dof),
    }
