"""One run is one JSON line. A file survives a kill: a line cut in half is dropped with a word, its run done again."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import MISSING, asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from mosaic_sr import OLD_FINDERS, InvalidFile

Key = tuple[str, str, str, int, str]


@dataclass(frozen=True)
class Result:
    """What one method did on one problem with one seed; nothing in it depends on when it ran.

    structure: whether the equation is the truth but for the values of its free numbers; None in lines of the time
        before this verdict.
    r2, nmse: on the test rows, computed from the printed equation; None when they are not finite numbers.
    error: why there is no usable equation, else empty.
    in_front: whether the equation or one of the method's front has the structure of the truth; None where not judged.
    probability: what the method says the chance is that the equation has the right structure; None where it says none.
    rivals: further equations that the method holds possible: entries with `equation`, `probability` and `structure`.
    claims_exact: whether the method said that its equation explains the rows to their last digit; None for no claim.
    unidentifiable: why no method can return the truth from these rows, else empty.
    trace: in order of time, `seconds`, `evaluations` and `validation_nmse` of the best equation so far.
    budgets: what fewer paths or steps of the same run would have led to: entries with `paths`, `steps`, `equation`,
        `strict`, `srbench`, `r2` and `nmse`; empty for a method that does not tell its paths apart.
    """

    suite: str
    problem: str
    method: str
    seed: int
    equation: str
    truth: str
    strict: bool
    srbench: bool
    r2: float | None
    nmse: float | None
    complexity: int | None
    true_operators: int
    decoded_operators: int | None
    seconds: float
    stage_seconds: dict[str, float]
    evaluations: int | None
    found_by: str
    settings: dict[str, Any]
    commit: str
    machine: dict[str, Any]
    trace: list[dict[str, Any]] = field(default_factory=list)
    unidentifiable: str = ""
    error: str = ""
    budgets: list[dict[str, Any]] = field(default_factory=list)
    claims_exact: bool | None = None
    structure: bool | None = None
    in_front: bool | None = None
    probability: float | None = None
    rivals: list[dict[str, Any]] = field(default_factory=list)

    @property
    def key(self) -> Key:
        """What makes a run the same run: a file holds it once."""
        return key_of(self.suite, self.problem, self.method, self.seed, self.settings)


def key_of(suite: str, problem: str, method: str, seed: int, settings: dict[str, Any]) -> Key:
    """The key of a run, done or to be done."""
    return (suite, problem, method, seed, json.dumps(settings, sort_keys=True))


REQUIRED = {item.name for item in fields(Result) if item.default is MISSING and item.default_factory is MISSING}
KNOWN = {item.name for item in fields(Result)}


def to_line(result: Result) -> str:
    """The JSON text of a result, without its line end; a number that JSON cannot hold becomes null."""
    return json.dumps(_finite(asdict(result)), allow_nan=False)


def from_line(line: str) -> Result | None:
    """The result that a line holds, finders by their present names, or None when it is cut or of another kind."""
    try:
        entries = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entries, dict) or not entries.keys() >= REQUIRED or not _has_types(entries):
        return None
    entries["found_by"] = OLD_FINDERS.get(entries["found_by"], entries["found_by"])
    return Result(**{name: entries[name] for name in entries.keys() & KNOWN})


def _has_types(entries: dict[str, Any]) -> bool:
    """Whether what a report computes with is of its kind."""
    kinds: dict[str, Any] = {
        "suite": str,
        "problem": str,
        "method": str,
        "seed": int,
        "equation": str,
        "settings": dict,
    }
    kinds |= {"strict": bool, "srbench": bool, "seconds": int | float, "machine": dict, "trace": list, "budgets": list}
    kinds |= dict.fromkeys(("r2", "nmse"), int | float | None) | dict.fromkeys(("truth", "commit", "found_by"), str)
    kinds |= dict.fromkeys(("complexity", "decoded_operators"), int | None) | {"true_operators": int, "rivals": list}
    kinds |= dict.fromkeys(("structure", "in_front", "claims_exact"), bool | None) | {"probability": int | float | None}
    if not all(isinstance(entries[name], kind) for name, kind in kinds.items() if name in entries):
        return False
    return all(isinstance(point, dict) for name in ("trace", "budgets", "rivals") for point in entries.get(name, ()))


def read_results(paths: Iterable[Path], say: Callable[[str], None]) -> list[Result]:
    """All results of the files; where files repeat a run, the last one stands."""
    results: dict[Key, Result] = {}
    for path in paths:
        results.update((result.key, result) for result in _read_one(path, say))
    return list(results.values())


def open_results(path: Path, say: Callable[[str], None]) -> set[Key]:
    """The runs that a file to be continued already holds; a cut last line is taken off the file."""
    if not path.parent.is_dir():
        raise InvalidFile(f"the folder of {path} does not exist; create it first")
    if _is_new(path):
        return set()
    done = {result.key for result in _read_one(path, say)}
    text = path.read_bytes()
    whole = text.rfind(b"\n") + 1
    if whole < len(text):
        tail = from_line(text[whole:].decode(errors="replace"))
        path.write_bytes(text[:whole] if tail is None else text + b"\n")
    return done


def _is_new(path: Path) -> bool:
    """Whether there is no such file yet but can be; none is left behind, for it may be that nothing can be run."""
    try:
        if path.exists():
            return False
        path.touch()
        path.unlink()
    except OSError as error:
        raise InvalidFile(f"cannot write {path}: {error.strerror}") from error
    return True


def append_result(path: Path, result: Result) -> None:
    """Write one whole line at the end of the file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(to_line(result) + "\n")


def _read_one(path: Path, say: Callable[[str], None]) -> list[Result]:
    try:
        lines = [line.decode(errors="replace") for line in path.read_bytes().splitlines()]
    except OSError as error:
        raise InvalidFile(f"cannot read {path}: {error.strerror}") from error
    # A run killed in its first write leaves only the start of a line; anything else without results is another file.
    results = [from_line(line) for line in lines]
    if lines and not any(results) and not lines[0].startswith('{"suite"'):
        raise InvalidFile(f"{path} is not a file of benchmark results (JSON lines)")
    for number, result in enumerate(results, start=1):
        if result is None:
            say(f"{path}: line {number} is incomplete or damaged and was skipped")
    return [result for result in results if result is not None]


def _finite(value: Any) -> Any:
    """Plain numbers throughout: a method may hand over numpy's."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {name: _finite(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
