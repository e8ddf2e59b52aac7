"""`Checked`: what a look at a table has found, for people and programs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mosaic_sr.checking.columns import ColumnFacts
from mosaic_sr.checking.finding import Finding, Importance
from mosaic_sr.law_values import finite
from mosaic_sr.visible import visible

if TYPE_CHECKING:
    import pandas as pd

# Columns of a table that are printed; a data frame or the JSON file has all of them.
MOST_SHOWN = 20


@dataclass(frozen=True)
class Checked:
    """What was found in a table, the most important first.

    num_rows: in the table.  num_complete: rows without gaps or text, which a search reads.
    """

    label: str
    num_rows: int
    num_complete: int
    target: str | None
    columns: tuple[ColumnFacts, ...]
    findings: tuple[Finding, ...]

    def of(self, importance: Importance) -> tuple[Finding, ...]:
        """The findings of one importance."""
        return tuple(finding for finding in self.findings if finding.importance is importance)

    @property
    def problems(self) -> tuple[str, ...]:
        """What a search would refuse or be misled by."""
        return tuple(finding.sentence for finding in self.of(Importance.PROBLEM))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What may mislead a search or its reader."""
        return tuple(finding.sentence for finding in self.of(Importance.WARNING))

    @property
    def table(self) -> pd.DataFrame:
        """One row per column: range, distinct values, missing cells and precision."""
        import pandas as pd

        rows = [
            {
                "smallest": one.low, "largest": one.high, "distinct": one.num_distinct, "missing": one.num_missing,
                "precision": one.precision, "is_target": one.is_target,
            }
            for one in self.columns
        ]  # fmt: skip
        return pd.DataFrame(rows, index=[one.name for one in self.columns])

    def lines(self) -> list[str]:
        """The findings for a person."""
        count = sum(not one.is_target for one in self.columns)
        target = f" and the target {self.target}" if self.target is not None else ""
        head = f"{self.label}: {self.num_rows:,} rows, {count:,} column{'s' * (count != 1)}{target}"
        told = [f"{finding.importance.name.lower()}: {finding.sentence}" for finding in self.findings]
        return [head, "", *self._column_lines(), "", *(told or ["nothing to object to"])]

    def _column_lines(self) -> list[str]:
        head = ["column", "smallest", "largest", "distinct", "missing", "precision"]
        # The target is shown also where columns are many.
        shown = sorted(self.columns, key=lambda one: not one.is_target)[:MOST_SHOWN]
        cells = [head, *map(_cells, shown)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = []
        for name, *numbers, precision in cells:
            shown_numbers = (cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=False))
            lines.append("  ".join([name.ljust(widths[0]), *shown_numbers, precision]).rstrip())
        more = len(self.columns) - len(shown)
        return [*lines, f"and {more:,} more columns"] if more else lines

    def described(self) -> dict[str, Any]:
        """As plain values; null stands for numbers that are not known."""
        return {
            "file": self.label,
            "rows": self.num_rows,
            "complete_rows": self.num_complete,
            "target": self.target,
            "columns": [
                {
                    "name": one.name, "smallest": finite(one.low), "largest": finite(one.high),
                    "distinct": one.num_distinct, "missing": one.num_missing, "precision": one.precision,
                }
                for one in self.columns
            ],
            "findings": [
                {
                    "importance": one.importance.name.lower(), "topic": one.topic, "text": one.text,
                    "remedy": one.remedy, "columns": list(one.columns), "rows": list(one.rows),
                }
                for one in self.findings
            ],
        }  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(map(visible, self.lines()))


def _cells(one: ColumnFacts) -> list[str]:
    low, high = ("" if math.isnan(value) else f"{value:.6g}" for value in (one.low, one.high))
    name = f"{one.name} (target)" if one.is_target else one.name
    return [name, low, high, f"{one.num_distinct:,}", f"{one.num_missing:,}" if one.num_missing else "", one.precision]
