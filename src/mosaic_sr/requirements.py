"""What the user requires of the law: constraints, columns that must occur, costs, nesting limits; read and placed."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.constraints import (
    BreakingRow,
    Constraint,
    Costs,
    Placed,
    Rows,
    Rules,
    Scale,
    StructureLimits,
    breaking_rows,
    read_constraints,
    refuse_contradictions,
    refuse_contradictions_here,
    region_of,
)
from mosaic_sr.errors import InvalidSettings, InvalidTable
from mosaic_sr.expressions.grammar import FUNCTIONS, OPERATOR_OF_SYMBOL
from mosaic_sr.limits import Limits
from mosaic_sr.operators import ARITY, CODES
from mosaic_sr.smooth import fit_smooth, learn, standardised
from mosaic_sr.table import Rows as TableRows
from mosaic_sr.table import Table, deviation, spread_over_target

Floats = NDArray[np.float64]

# What users of PySR write for operators, besides the words of the grammar.
OTHER_WORDS = {"mult": "mul", "plus": "add", "**": "pow", **OPERATOR_OF_SYMBOL}
# Columns and rows that a message lists.
SHOWN_NAMES, SHOWN_ROWS = 8, 5
# Rows as points to look at, and rows from which the noise is judged where some break a constraint.
MOST_POINTS, ROWS_FOR_NOISE = 1000, 200
# A row that is so many standard errors beyond a constraint is no noise, with any number of rows that a person has.
FAR_BEYOND = 6.0
# Below this share of the target's spread, what rows leave to a smooth function is rounding and not noise.
LEAST_NOISE = 1e-6
# Standard deviation of a normal distribution whose median distance from its middle is 1.
DEVIATION_PER_MEDIAN = 1.4826


@dataclass(frozen=True)
class Required:
    """The user's words, as the estimator has them; None and () ask for nothing."""

    constraints: Any = None
    must_use: Sequence[str] | None = None
    complexity_of_operators: Mapping[str, float] | None = None
    complexity_of_constants: float | None = None
    complexity_of_variables: float | None = None
    nested_constraints: Mapping[str, Mapping[str, int]] | None = None
    maxdepth: int | None = None

    def added_to(self, limits: Limits) -> Limits:
        """The limits with all that is required; InvalidSettings where it cannot be read or contradicts itself."""
        texts, sizes = _told_apart(self.constraints)
        stated = read_constraints(texts)
        refuse_contradictions(stated)
        structure = StructureLimits(
            must_use=_column_names(self.must_use),
            nested=_nested(self.nested_constraints, limits),
            argument_sizes=_argument_sizes(sizes, limits),
            maxdepth=None if self.maxdepth is None else _count("maxdepth", self.maxdepth, 1),
        )
        return replace(limits, structure=structure, costs=self._costs(limits), constraints=stated)

    def _costs(self, limits: Limits) -> Costs:
        own = _mapping("complexity_of_operators", self.complexity_of_operators, "{'sin': 3}")
        named = {
            _operator(name, limits, "complexity_of_operators"): _cost(f"complexity_of_operators[{name!r}]", cost)
            for name, cost in own.items()
        }
        return Costs(
            tuple(named),
            tuple(named.values()),
            _cost("complexity_of_constants", self.complexity_of_constants),
            _cost("complexity_of_variables", self.complexity_of_variables),
        )


def _told_apart(given: Any) -> tuple[list[str], dict[str, Any]]:
    """The texts among constraints, and PySR's limits on the sizes of operands, which are a dictionary."""
    if given is None:
        return [], {}
    if isinstance(given, str):
        raise InvalidSettings(f"constraints must be a list, e.g. [{given!r}], got the text {given!r:.80}")
    items = [given] if isinstance(given, Mapping) else given
    if not isinstance(items, Sequence):
        raise InvalidSettings(f"constraints must be a list of texts such as ['y > 0'], got {given!r:.80}")
    sizes: dict[str, Any] = {}
    for item in items:
        sizes |= item if isinstance(item, Mapping) else {}
    return [item for item in items if not isinstance(item, Mapping)], sizes


def _column_names(names: Any) -> tuple[str, ...]:
    if names is None:
        return ()
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise InvalidSettings(f"must_use must be a list of columns, e.g. ['x'], got {names!r:.80}")
    return tuple(dict.fromkeys(map(str, names)))


def _mapping(label: str, given: Any, example: str) -> Mapping[str, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise InvalidSettings(f"{label} must be a dictionary such as {example}, got {given!r:.80}")
    return given or {}


def _operator(word: Any, limits: Limits, label: str) -> str:
    """Our name of an operator that a limit speaks of."""
    defined = {name.partition("(")[0]: name for name in limits.operators if "(" in name}
    name = OTHER_WORDS.get(word) or FUNCTIONS.get(word) or defined.get(word)
    if name is None:
        known = ", ".join([*OPERATOR_OF_SYMBOL, *sorted(set(FUNCTIONS.values())), *defined])
        raise InvalidSettings(f"{label}: unknown operator {word!r:.40}; the operators are {known}")
    return name


def _cost(label: str, value: Any) -> float:
    if value is None:
        return 1.0
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not 0.0 <= value <= 1000.0:
        raise InvalidSettings(f"{label} must be a number from 0 to 1000, got {value!r:.80}")
    return float(value)


def _count(label: str, value: Any, least: int) -> int:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or value % 1 != 0 or value < least:
        raise InvalidSettings(f"{label} must be an integer of at least {least}, got {value!r:.80}")
    return int(value)


def _nested(given: Any, limits: Limits) -> tuple[tuple[str, tuple[tuple[str, int], ...]], ...]:
    label, example = "nested_constraints", "{'sin': {'sin': 0, 'exp': 1}}"
    found = []
    for outer, inners in _mapping(label, given, example).items():
        pairs = [
            (_operator(inner, limits, label), _count(f"{label}[{outer!r}][{inner!r}]", most, 0))
            for inner, most in _mapping(f"{label}[{outer!r}]", inners, "{'sin': 0}").items()
        ]
        found.append((_operator(outer, limits, label), tuple(pairs)))
    return tuple(found)


def _argument_sizes(given: Mapping[str, Any], limits: Limits) -> tuple[tuple[str, tuple[float, ...]], ...]:
    found = []
    for word, sizes in given.items():
        name = _operator(word, limits, "constraints")
        each = tuple(sizes) if isinstance(sizes, Sequence) and not isinstance(sizes, str) else (sizes,)
        arity = int(ARITY[CODES[name]])
        if len(each) != arity:
            raise InvalidSettings(
                f"constraints[{word!r}] must have {arity} size(s), one for each operand, got {sizes!r:.80}"
            )
        found.append((name, tuple(float(_count(f"constraints[{word!r}]", size, -1)) for size in each)))
    return tuple(found)


def names_required(limits: Limits) -> tuple[str, ...]:
    """The columns that requirements speak of: the search must read them."""
    stated = (name for constraint in limits.constraints for name in constraint.names)
    return tuple(dict.fromkeys((*limits.structure.must_use, *stated)))


def refuse_unknown_columns(limits: Limits, table: Table, names: Sequence[str]) -> None:
    """Refuse columns that the table does not have or the search does not read, and words for another target."""
    for label, own in [("must_use", limits.structure.must_use)] + [
        (f"the constraint {stated.text!r}", stated.names) for stated in limits.constraints
    ]:
        for name in own:
            if name not in names:
                shown = ", ".join(map(repr, names[:SHOWN_NAMES]))
                raise InvalidSettings(f"{label} names {name!r}, which is not a column; the columns are {shown}")
            if name not in table.names:
                why = "; ".join(note for note in table.notes if f"column {name!r}" in note) or "it is ignored"
                raise InvalidSettings(f"{label} names column {name!r}, which the search does not read: {why}")
    for stated in limits.constraints:
        if stated.subject not in ("", table.target_name) and (stated.subject != "y" or "y" in names):
            raise InvalidSettings(
                f"the constraint {stated.text!r} must be about the target {table.target_name!r}, got {stated.subject!r}"
            )


def why_no_law(limits: Limits) -> str:
    """Why a search has ended without any law, and what to do."""
    if not limits.have_wishes:
        return "no proposer found an equation with finite errors; switch on more proposers"
    strict = [f"{text!r} ({count:,} candidates)" for text, count in limits.rules.refusals.most_common(SHOWN_ROWS)]
    broken = f"; candidates broke {', '.join(strict)}" if strict else ""
    return (
        f"no candidate kept all that is required of the law{broken}; "
        "loosen a constraint, allow more operators, or give the search more time"
    )


def placed_limits(limits: Limits, table: Table) -> Limits:
    """The limits over the columns of a table."""
    if not limits.constraints and not limits.structure.must_use:
        return limits
    needed = tuple(table.names.index(name) for name in limits.structure.must_use)
    size = float(np.ldexp(deviation(table.target), table.target_exponent))
    some = spread_over_target(table.training, MOST_POINTS).columns
    placed = tuple(_placed(stated, table, size) for stated in limits.constraints)
    refuse_contradictions_here(placed)
    rules = Rules(
        placed,
        table.names,
        Rows(np.ldexp(some, np.array(table.column_exponents)[:, None])),
        Scale(table.column_exponents, table.target_exponent),
    )
    return replace(limits, structure=replace(limits.structure, needed=needed), rules=rules)


def _placed(stated: Constraint, table: Table, size: float) -> Placed:
    places = {name: place for place, name in enumerate(table.names)}
    ranges = [table.sampled[column] for column in table.used]
    region = region_of(ranges, [(places[name], low, high) for name, low, high in stated.region])
    point = tuple((places[name], value) for name, value in stated.point)
    return Placed(stated, region, tuple(places[name] for name in stated.columns), point, size)


@dataclass(frozen=True, eq=False)
class GivenRows:
    """The user's rows as they came: columns (columns, rows), target and standard errors (rows,), None where unknown.

    places: (rows,) what the user calls each row; it is counted from 0 where there are none.
    """

    columns: Floats
    target: Floats
    sigma: Floats | None = None
    places: Sequence[str] = ()

    def place(self, row: int) -> str:
        """What the user calls a row."""
        return self.places[row] if len(self.places) else f"row {row}"


def given_rows(X: Any, y: Any, sigma: Any, sides: Floats | None, places: Sequence[str] = ()) -> GivenRows:
    """The rows of arrays or frames that were checked before, without those of which only a limit is known.

    sides: (rows,), 0 where the target is a value; None where all are.
    """
    own = None if sigma is None else np.asarray(sigma, dtype=np.float64).ravel()
    columns = np.asarray(X, dtype=np.float64)
    columns, target = columns.reshape(len(columns), -1).T, np.asarray(y, dtype=np.float64).ravel()
    if sides is None or not np.any(sides):
        return GivenRows(columns, target, own, places)
    kept = np.flatnonzero(np.asarray(sides) == 0.0)
    names = [places[row] if len(places) else f"row {row}" for row in kept.tolist()]
    return GivenRows(columns[:, kept], target[kept], None if own is None else own[kept], names)


def notes_on_rows(limits: Limits, table: Table, given: GivenRows | None) -> list[str]:
    """Refuse constraints that the rows contradict by more than noise; a note where noise may explain it."""
    notes: list[str] = []
    if given is None:
        return notes
    columns = given.columns[list(table.used)]
    for placed in limits.rules.placed:
        broken = breaking_rows(placed, columns, given.target)
        if not broken:
            continue
        noise = _noise(columns, given)
        clear = [one for one in broken if one.excess > FAR_BEYOND * _noise_of(one, noise)]
        words, shown = placed.constraint.text, clear or broken
        told = f"{_row_count(shown)} the constraint {words!r}: {_told_rows(shown, given, table)}"
        if clear:
            raise InvalidTable(f"{told}; correct or leave out the rows, or the constraint")
        notes.append(f"{told}, which noise may explain")
    return notes


def _row_count(rows: Sequence[BreakingRow]) -> str:
    return "1 row contradicts" if len(rows) == 1 else f"{len(rows)} rows contradict"


def _told_rows(rows: Sequence[BreakingRow], given: GivenRows, table: Table) -> str:
    """The worst rows by what the user calls them, with their targets."""
    name = table.target_name
    shown = [
        f"{given.place(one.row)} has {name} = {given.target[one.row]:.6g}"
        + (f" after {given.target[one.beside]:.6g} in {given.place(one.beside)}" if one.beside is not None else "")
        for one in rows[:SHOWN_ROWS]
    ]
    return "; ".join(shown) + ("; ..." if len(rows) > SHOWN_ROWS else "")


def _noise_of(one: BreakingRow, noise: Floats) -> float:
    """The standard error of a row, or of the difference of two."""
    beside = 0.0 if one.beside is None else float(noise[one.beside])
    return float(np.hypot(noise[one.row], beside))


def _noise(columns: Floats, given: GivenRows) -> Floats:
    """The standard error of each row: as stated, or what a smooth function of the other rows leaves; 0 for none."""
    if given.sigma is not None:
        return given.sigma
    rows = spread_over_target(TableRows(columns, given.target, np.empty(0)), ROWS_FOR_NOISE)
    (own, _), (target, spread) = standardised(rows.columns), standardised(rows.target)
    residuals = fit_smooth(own, target, learn(own, target)).residuals
    # The median, because the rows in question may be among them.
    left = DEVIATION_PER_MEDIAN * float(np.nanmedian(np.abs(residuals)))
    return np.full(len(given.target), left * float(spread) if left > LEAST_NOISE else 0.0)
