"""Live progress of a run: one bar per suite with its running rates, or one plain line per run outside a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from benchmarks.measures import is_accurate
from benchmarks.results_file import Result


class Progress:
    """Counts results as they come; `planned` holds the suite of every run to come."""

    def __init__(self, planned: Iterable[str], console: Console) -> None:
        self._planned = Counter(planned)
        self._done: Counter[str] = Counter()
        self._strict: Counter[str] = Counter()
        self._structure: Counter[str] = Counter()
        self._accurate: Counter[str] = Counter()
        self._console = console
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self._bars = Bars(
            *columns, TextColumn("{task.fields[rates]}"), console=console, disable=not console.is_terminal
        )
        self._tasks: dict[str, TaskID] = {
            suite: self._bars.add_task(suite, total=total, rates="") for suite, total in self._planned.items()
        }

    def __enter__(self) -> Progress:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def note(self, result: Result) -> None:
        """Count one finished run and show it."""
        suite = result.suite
        self._done[suite] += 1
        self._strict[suite] += result.strict
        self._structure[suite] += bool(result.structure)
        self._accurate[suite] += is_accurate(suite, result.r2, result.nmse)
        self._bars.update(self._tasks[suite], advance=1, rates=self._rates(suite))
        if not self._console.is_terminal:
            self._console.print(self._line(result), markup=False, highlight=False, soft_wrap=True)

    def _rates(self, suite: str) -> str:
        done = self._done[suite]
        counts = {"strict": self._strict, "structure": self._structure, "Acc": self._accurate}
        return "  ".join(f"{name} {100 * count[suite] / done:.1f} %" for name, count in counts.items())

    def _line(self, result: Result) -> str:
        outcome = "found" if result.strict else result.error or ("right structure" if result.structure else "missed")
        count = f"{self._done[result.suite]}/{self._planned[result.suite]}"
        name = f"{result.suite} {result.problem} {result.method} seed {result.seed}"
        return f"[{count}] {name}: {outcome}, {result.seconds:.1f} s  ({self._rates(result.suite)})"
