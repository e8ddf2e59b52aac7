"""Law files: the outcome of a search as JSON; `mosaic fit` and the estimator write them, all commands read them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mosaic_sr.confirmation import confirmation_in, describe_confirmation
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.errors import InvalidFile
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.definitions import defined_in, parse_law
from mosaic_sr.files import write_atomically
from mosaic_sr.group_constants import describe_groups, groups_in
from mosaic_sr.inputs import find_input
from mosaic_sr.law_constraints import constraints_in, describe_constraints, with_costs
from mosaic_sr.law_evidence import describe_evidence, describe_weight, evidence_in, weight_in
from mosaic_sr.law_naming import describe_name, name_in
from mosaic_sr.law_units import describe_units, units_in, units_of_constants
from mosaic_sr.law_values import count, expect, finite, items, known_number, number, texts
from mosaic_sr.old_names import notes_on_old_finders, present_finder
from mosaic_sr.outcome import Outcome
from mosaic_sr.sampled import describe_ranges, ranges_in
from mosaic_sr.strict_json import parse_json

FORMAT = "mosaic-sr law"
# Of a file with the laws of several targets, as the estimator writes it.
SEVERAL_FORMAT = "mosaic-sr laws"
ENDING = ".json"
# Raised when a reader of the number before could not read the file any more: it reads no operators of users.
VERSION = 2
VERSION_WITHOUT_DEFINITIONS = 1
# Larger files are something else; the longest front takes some hundred kB.
MOST_BYTES = 16_000_000


def write_law(path: Path, outcome: Outcome, settings: Mapping[str, Any]) -> None:
    """Write the outcome; settings: those of the estimator, as far as JSON can hold them, infinite ones as null."""
    text = json.dumps(law_content(outcome, settings), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
    # Half of a character, as in the name of a folder that is no UTF-8, becomes a question mark: no reader takes it.
    write_atomically(path, text.encode("utf-8", "replace"))


def law_content(outcome: Outcome, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What a law file holds, as plain values."""
    plain = {name: finite(value) for name, value in settings.items()}
    laws = (outcome.law, *outcome.law.ties, *outcome.front)
    has_definitions = bool(defined_in(law.expression for law in laws))
    version = VERSION if has_definitions else VERSION_WITHOUT_DEFINITIONS
    return {"format": FORMAT, "version": version, **describe_outcome(outcome), "settings": plain}


def is_law_file(law: object) -> bool:
    """Whether a law is given as the path of a law file rather than as a formula."""
    return isinstance(law, Path) or (isinstance(law, str) and law.strip().lower().endswith(ENDING))


def read_law(path: str | Path) -> tuple[Outcome, dict[str, Any]]:
    """The outcome and the settings in a law file; InvalidFile for anything else."""
    return read_law_entry(path, _read_json(path))


def read_laws(path: str | Path) -> tuple[list[tuple[Outcome, dict[str, Any]]], bool]:
    """The outcome and the settings of each law in a file, and whether it is a file of several targets."""
    content = _read_json(path)
    if not isinstance(content, dict) or content.get("format") != SEVERAL_FORMAT:
        return [read_law_entry(path, content)], False
    entries = content.get("laws")
    if not isinstance(entries, list) or not entries:
        raise InvalidFile(f"{path}: the law file is damaged: it holds no laws; write it again")
    return [read_law_entry(path, entry) for entry in entries], True


def read_law_entry(file: str | Path, content: Any) -> tuple[Outcome, dict[str, Any]]:
    """The outcome and the settings in the content of a law file."""
    if isinstance(content, dict) and content.get("format") == SEVERAL_FORMAT:
        raise InvalidFile(
            f"{file}: the file holds the laws of several targets; read it with MosaicRegressor.load, or write a file "
            "of one law with estimators_[0].save"
        )
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InvalidFile(f'{file}: not a law file: it lacks "format": "{FORMAT}"; write one with `mosaic fit --json`')
    version = content.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise InvalidFile(
            f"{file}: law file of version {version!r:.40}, but this release reads version {VERSION}; upgrade mosaic-sr"
        )
    try:
        settings = expect(content.get("settings", {}), dict, "settings")
        return with_costs(_outcome(content), settings), settings
    except (KeyError, ValueError) as error:
        what = f"no {error.args[0]!r}" if isinstance(error, KeyError) else str(error).splitlines()[0]
        raise InvalidFile(f"{file}: the law file is damaged: {what}; write it again") from error


def describe_outcome(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain values."""
    return {
        **describe_equation(outcome.law),
        "target": outcome.target,
        "columns": list(outcome.names),
        "columns_are_named": outcome.is_named,
        "front": [describe_equation(equation) for equation in outcome.front],
        "stopped_early": outcome.stopped_early,
        "seconds": round(outcome.seconds, 3),
        "evaluations": outcome.evaluations,
        "stage_seconds": {stage: round(seconds, 3) for stage, seconds in outcome.stage_seconds.items()},
        "trace": [{key: finite(value) for key, value in line.items()} for line in outcome.trace],
        "notes": list(outcome.notes),
        "sampled_ranges": describe_ranges(outcome.sampled, outcome.names, _columns_read(outcome)),
        **describe_evidence(outcome),
        **describe_constraints(outcome.constraints),
        **describe_units(outcome),
        **describe_groups(outcome.groups),
        **(
            {"indicators": {name: list(labels) for name, labels in outcome.indicators.items()}}
            if outcome.indicators
            else {}
        ),
        **describe_parts(outcome),
        **describe_confirmation(outcome.confirmation),
    }


def describe_parts(outcome: Outcome) -> dict[str, Any]:
    """The unknown functions of a template; nothing where there was none."""
    parts = [
        {"part": label, "equation": part.text(), "constants": _describe_constants(part),
         **({"operators": definitions} if (definitions := defined_in([part.expression])) else {})}
        for label, part in outcome.parts
    ]  # fmt: skip
    return {"parts": parts} if parts else {}


def parts_in(content: Mapping[str, Any], law: Equation) -> tuple[tuple[str, Equation], ...]:
    """The unknown functions that `describe_parts` wrote, with the errors of the law that they are parts of."""
    found, names = [], law.names
    for entry in items({"parts": [], **content}, "parts", dict):
        constants = items(entry, "constants", dict)
        definitions = items({"operators": [], **entry}, "operators", str)
        expression = parse_law(expect(entry["equation"], str, "equation"), names, definitions)
        errors = tuple(known_number(constant["stderr"], "stderr", math.nan) for constant in constants)
        part = Equation(expression, names, law.training, law.validation, law.found_by, law.closeness, errors)
        found.append((expect(entry["part"], str, "part"), part))
    return tuple(found)


def _columns_read(outcome: Outcome) -> set[int]:
    laws = (outcome.law, *outcome.law.ties, *outcome.front)
    return {column for law in laws for column in law.expression.columns}


def describe_equation(equation: Equation) -> dict[str, Any]:
    """An equation as plain values; null stands for numbers that are not finite."""
    return {
        "equation": equation.text(),
        **({"operators": definitions} if (definitions := defined_in([equation.expression])) else {}),
        "sympy": None if (tree := equation.sympy_or_none()) is None else str(tree),
        "latex": equation.latex(),
        "complexity": equation.complexity,
        "exact": equation.is_exact,
        "agrees": equation.agrees,
        "found_by": equation.found_by,
        "training": _describe_errors(equation.training),
        "validation": _describe_errors(equation.validation),
        "constants": _describe_constants(equation),
        **describe_weight(equation),
        **describe_name(equation),
        "ties": [describe_equation(tie) for tie in equation.ties],
    }


def _describe_constants(equation: Equation) -> list[dict[str, Any]]:
    plain = [
        {
            "value": value,
            "stderr": finite(error),
            **({"name": name} if name else {}),
            **({"unit": unit} if unit else {}),
        }
        for (value, error, name), unit in zip(equation.constants, equation.units, strict=True)
    ]
    # Empty where they were not asked for.
    for one, ends in zip(plain, equation.intervals, strict=False):
        one["intervals"] = {"68": [finite(end) for end in ends[:2]], "95": [finite(end) for end in ends[2:]]}
    return plain


def _describe_errors(errors: Errors) -> dict[str, float | None]:
    return {
        "nmse": finite(errors.nmse),
        "r2": finite(1.0 - errors.nmse),
        "relative_error": finite(math.sqrt(errors.relative)),
        **({} if errors.own is None else {"own_loss": finite(errors.own)}),
    }


def _read_json(path: str | Path) -> Any:
    file = find_input(path, most_streamed=MOST_BYTES)
    content = file.read_at_most(MOST_BYTES)
    try:
        return parse_json(content)
    except ValueError as error:
        reason = f"not a law file: it is not JSON: {error}"
        raise InvalidFile(f"{file}: {reason}; write one with `mosaic fit --json`") from error


def _outcome(content: dict[str, Any]) -> Outcome:
    names = texts(content, "columns")
    if len(set(names)) < len(names):
        raise ValueError("two columns have the same name")
    law = _equation(content, names)
    return Outcome(
        law=law,
        front=tuple(_equation(entry, names) for entry in items(content, "front", dict)),
        names=names,
        target=expect(content["target"], str, "target"),
        is_named=expect(content["columns_are_named"], bool, "columns_are_named"),
        evaluations=count(content["evaluations"], "evaluations"),
        seconds=number(content["seconds"], "seconds"),
        stopped_early=expect(content["stopped_early"], bool, "stopped_early"),
        stage_seconds={
            stage: number(seconds, "stage_seconds")
            for stage, seconds in expect(content["stage_seconds"], dict, "stage_seconds").items()
        },
        trace=items(content, "trace", dict),
        notes=(*texts(content, "notes"), *notes_on_old_finders([expect(content["found_by"], str, "found_by")])),
        sampled=ranges_in(content.get("sampled_ranges", {}), names),
        **evidence_in(content, len(names)),
        constraints=constraints_in(content),
        units=units_in(content, names),
        groups=groups_in(content, law.expression.num_constants),
        indicators={
            name: tuple(expect(label, str, "indicators") for label in expect(labels, list, "indicators"))
            for name, labels in expect(content.get("indicators", {}), dict, "indicators").items()
        },
        parts=parts_in(content, law),
        confirmation=confirmation_in(content),
    )


def _equation(entry: dict[str, Any], names: tuple[str, ...]) -> Equation:
    constants = items(entry, "constants", dict)
    definitions = items({"operators": [], **entry}, "operators", str)
    expression = parse_law(expect(entry["equation"], str, "equation"), names, definitions)
    if expression.num_constants != len(constants):
        raise ValueError(
            f"{entry['equation']!r:.60} has {expression.num_constants} constants, but {len(constants)} are listed"
        )
    return Equation(
        expression=expression,
        names=names,
        training=_errors(entry, "training"),
        validation=_errors(entry, "validation"),
        found_by=present_finder(expect(entry["found_by"], str, "found_by")),
        closeness=_closeness(entry),
        standard_errors=tuple(known_number(constant["stderr"], "stderr", math.nan) for constant in constants),
        constant_names=_constant_names(constants),
        constant_units=units_of_constants(constants),
        **weight_in(entry, len(constants)),
        named=name_in(entry),
        intervals=_intervals(constants),
        ties=tuple(_equation(tie, names) for tie in items({"ties": [], **entry}, "ties", dict)),
    )


def _closeness(entry: Mapping[str, Any]) -> Closeness:
    if expect(entry["exact"], bool, "exact"):
        return Closeness.EXACT
    return Closeness.AGREES if expect(entry.get("agrees", False), bool, "agrees") else Closeness.OPEN


def _constant_names(constants: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    names = tuple(expect(constant.get("name", ""), str, "name") for constant in constants)
    return names if any(names) else ()


def _intervals(constants: Sequence[Mapping[str, Any]]) -> tuple[tuple[float, ...], ...]:
    if not constants or any("intervals" not in constant for constant in constants):
        return ()
    return tuple(_ends(expect(constant["intervals"], dict, "intervals")) for constant in constants)


def _ends(entry: Mapping[str, Any]) -> tuple[float, ...]:
    """The ends of the 68 and the 95 % interval; null is no bound."""
    pairs = [items(entry, level, object) for level in ("68", "95")]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError("'intervals' must have two ends each")
    return tuple(
        known_number(end, "intervals", unbounded)
        for pair in pairs
        for end, unbounded in zip(pair, (-math.inf, math.inf), strict=True)
    )


def _errors(entry: Mapping[str, Any], label: str) -> Errors:
    errors = expect(entry[label], dict, label)
    relative = known_number(errors["relative_error"], "relative_error", math.inf)
    own = known_number(errors["own_loss"], "own_loss", math.inf) if "own_loss" in errors else None
    return Errors(known_number(errors["nmse"], "nmse", math.inf), relative * relative, own)
