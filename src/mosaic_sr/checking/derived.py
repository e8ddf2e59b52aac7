"""Columns that were computed from others or go together with them: a law can be written with either.

Relations are looked for between two columns (a straight line, a power, a logarithm), among three (a sum or difference,
a product or quotient), and among all (a sum that is constant).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.checking.finding import Finding, Importance, listed
from mosaic_sr.linear_algebra import thin_svd

Floats = NDArray[np.float64]

# Two thousand columns on 500 rows take about a second; relations of three are looked for among fewer.
MOST_COLUMNS, MOST_FOR_THREE, MOST_TOGETHER = 2000, 30, 60
NUMBERS_READ = 1_000_000
# Fewer rows agree by chance.
LEAST_ROWS = 8
# What a relation may leave of the variance: the rounding of numbers with four digits.
ROUNDED = 1e-7
# Columns with a larger correlation can hardly be told apart in a noisy table.
CLOSE = 0.98
# Sentences on pairs and triples; of hundreds nobody reads more.
MOST_FINDINGS = 8
# An exponent is a simple one within this distance.
SIMPLE = 1e-4
# Columns in a null vector whose share is smaller have no part in it.
LEAST_PART = 1e-3
CHOOSE = "a law can be written with either; leave one of them out for shorter laws"
CHOOSE_OF_THREE = "a law can be written with any two of them; leave one out for shorter laws"


@dataclass(frozen=True, eq=False)
class _Views:
    """Columns as they are and as logarithms of their sizes: names, plain and logs (columns, rows).

    has_log: which columns have one sign and no zero; the logs of others are 0.
    """

    names: list[str]
    plain: Floats
    logs: Floats
    has_log: NDArray[np.bool_]


def check_derived(columns: Mapping[str, Floats]) -> Iterator[Finding]:
    """Findings on columns without gaps, each (rows,), that vary."""
    varying = {name: own for name, own in columns.items() if np.ptp(own) > 0.0}
    if len(varying) < 2 or len(next(iter(varying.values()))) < LEAST_ROWS:
        return
    if len(varying) > MOST_COLUMNS:
        text = f"relations were looked for among the first {MOST_COLUMNS:,} of {len(varying):,} columns"
        yield Finding(Importance.NOTE, "derived", text)
    views = _views(dict(list(varying.items())[:MOST_COLUMNS]))
    found, replaced = _pairs(views)
    kept = [place for place in range(len(views.names)) if place not in replaced]
    triples = list(_triples(views, kept[:MOST_FOR_THREE]))
    together = [] if triples else list(_sums(views, kept))
    shown = [*found, *triples]
    yield from shown[:MOST_FINDINGS]
    if len(shown) > MOST_FINDINGS:
        text = f"{len(shown) - MOST_FINDINGS:,} further columns are related to others in the same way"
        yield Finding(Importance.WARNING, "derived", text)
    yield from together


def _views(columns: Mapping[str, Floats]) -> _Views:
    values = np.array(list(columns.values()))
    step = max(1, values.size // NUMBERS_READ)
    values = np.ascontiguousarray(values[:, ::step]) if values.shape[1] // step >= LEAST_ROWS else values
    has_log = (values.min(axis=1) > 0.0) | (values.max(axis=1) < 0.0)
    logs = np.zeros_like(values)
    logs[has_log] = np.log(np.abs(values[has_log]))
    return _Views(list(columns), values, logs, has_log)


def _standard(values: Floats) -> Floats:
    """Rows of mean 0 and length 1; constant ones become 0."""
    with np.errstate(all="ignore"):
        scaled = values / np.max(np.abs(values), axis=1, keepdims=True)
        centred = scaled - scaled.mean(axis=1, keepdims=True)
        lengths = np.linalg.norm(centred, axis=1, keepdims=True)
    return np.nan_to_num(np.where(lengths > 0.0, centred / np.where(lengths > 0.0, lengths, 1.0), 0.0))


def _pairs(views: _Views) -> tuple[list[Finding], set[int]]:
    """Findings on columns that one other column gives, and the places of these columns."""
    plain, logs = _standard(views.plain), _standard(views.logs)
    # The later column of a pair is called the derived one.
    kinds = {"line": (plain, plain), "power": (logs, logs), "logarithm": (plain, logs), "exponential": (logs, plain)}
    found: list[Finding] = []
    replaced: set[int] = set()
    for kind, (left, right) in kinds.items():
        correlations = np.tril(np.abs(left @ right.T), -1)
        for place in np.flatnonzero(correlations.max(axis=1) > 1.0 - ROUNDED).tolist():
            other = int(np.argmax(correlations[place]))
            if place not in replaced and _leaves(left[place], right[other]) < ROUNDED:
                replaced.add(place)
                found.append(_pair(views, kind, place, other))
    close = np.tril(np.abs(plain @ plain.T), -1)
    for place in np.flatnonzero(close.max(axis=1) > CLOSE).tolist():
        other = int(np.argmax(close[place]))
        if place not in replaced:
            size = "above 0.9999" if close[place, other] > 0.9999 else f"{close[place, other]:.4f}"
            text = f"columns {views.names[other]!r} and {views.names[place]!r} go together (correlation {size})"
            remedy = "noisy rows cannot show which of them matters; vary them independently, or leave one out"
            found.append(Finding(Importance.WARNING, "collinear", text, remedy, _named(views, other, place)))
    return found, replaced


def _leaves(one: Floats, other: Floats) -> float:
    """The share of variance that a straight line leaves; both of mean 0 and length 1."""
    return float(np.sum(np.square(one - (one @ other) * other)))


def _named(views: _Views, *places: int) -> tuple[str, ...]:
    return tuple(views.names[place] for place in places)


def _pair(views: _Views, kind: str, place: int, other: int) -> Finding:
    of_plain, of_logs = ((values[place], values[other]) for values in (views.plain, views.logs))
    name, source = repr(views.names[place]), repr(views.names[other])
    if kind == "line":
        slope, offset = _line(*of_plain)
        formula = f"{_factor(slope)}{source}{_offset(offset)}"
    elif kind == "power":
        slope, _ = _line(*of_logs)
        formula = f"a multiple of {source}^{_number(slope)}"
    elif kind == "logarithm":
        slope, offset = _line(of_plain[0], of_logs[1])
        formula = f"{_factor(slope)}log({source}){_offset(offset)}"
    else:
        slope, _ = _line(of_logs[0], of_plain[1])
        formula = f"a multiple of exp({_factor(slope)}{source})"
    text = f"column {name} is {formula} in every row"
    return Finding(Importance.WARNING, "derived", text, CHOOSE, _named(views, other, place))


def _line(values: Floats, source: Floats) -> tuple[float, float]:
    centred = source - source.mean()
    slope = float(centred @ (values - values.mean()) / (centred @ centred))
    offset = float(values.mean() - slope * source.mean())
    return slope, 0.0 if abs(offset) < 1e-6 * float(np.max(np.abs(values))) else offset


def _number(value: float) -> str:
    return f"{value:.6g}"


def _factor(value: float) -> str:
    return "" if abs(value - 1.0) < 1e-6 else f"{_number(value)}*"


def _offset(value: float) -> str:
    return "" if value == 0.0 else f" {'+' if value > 0.0 else '-'} {_number(abs(value))}"


def _triples(views: _Views, places: list[int]) -> Iterator[Finding]:
    """Sums, differences, products and quotients among three columns, each group of three once."""
    seen: set[frozenset[int]] = set()
    for values, is_usable, is_product in (
        (views.plain, np.ones(len(views.names), dtype=np.bool_), False),
        (views.logs, views.has_log, True),
    ):
        own = [place for place in places if is_usable[place]]
        standard = _standard(values[own])
        correlation = standard @ standard.T
        for (one, first), (two, second) in combinations(enumerate(own), 2):
            for place in _explained_by(correlation, one, two):
                group = frozenset((first, second, own[place]))
                if group not in seen and _residual(standard, place, one, two) < ROUNDED:
                    seen.add(group)
                    yield _triple(views, values, is_product, own[place], first, second)


def _explained_by(correlation: Floats, one: int, two: int) -> list[int]:
    """Places of columns that two others explain: 1 - R² from correlations alone."""
    between = correlation[one, two]
    if abs(between) > 1.0 - 1e-6:
        return []
    left, right = correlation[one], correlation[two]
    explained = (left**2 + right**2 - 2.0 * left * right * between) / (1.0 - between**2)
    # Both must have a part in it: a column that one of them gives is a pair.
    has_both = (left**2 < 1.0 - ROUNDED) & (right**2 < 1.0 - ROUNDED)
    found = np.flatnonzero((explained > 1.0 - 10.0 * ROUNDED) & has_both)
    return [place for place in found.tolist() if place not in (one, two)]


def _residual(standard: Floats, place: int, one: int, two: int) -> float:
    basis, _ = np.linalg.qr(standard[[one, two]].T)
    rest = standard[place] - basis @ (basis.T @ standard[place])
    return float(rest @ rest)


def _triple(views: _Views, values: Floats, is_product: bool, place: int, one: int, two: int) -> Finding:
    """The relation with that column alone on its side in which fewest powers or factors are negative."""
    forms = []
    for target in (place, one, two):
        first, second = sorted({place, one, two} - {target})
        centred = values - values.mean(axis=1, keepdims=True)
        matrix = centred[[first, second]]
        parts = np.linalg.solve(matrix @ matrix.T, matrix @ centred[target])
        forms.append((sum(parts < 0.0), float(np.sum(np.abs(parts - 1.0))), target, first, second, parts.tolist()))
    *_, target, first, second, parts = min(forms)
    names = [repr(views.names[own]) for own in (first, second)]
    if not is_product and all(math.isclose(part, -1.0, abs_tol=SIMPLE) for part in parts):
        total = float(np.mean(values[[target, first, second]].sum(axis=0)))
        text = f"columns {views.names[target]!r}, {' and '.join(names)} add up to {total:.6g} in every row"
        return Finding(Importance.WARNING, "derived", text, CHOOSE_OF_THREE, _named(views, target, first, second))
    if is_product:
        text = " times ".join(_power(name, part) for name, part in zip(names, parts, strict=True))
        text = f"a multiple of {text}" if abs(_constant(views, target, first, second, parts)) > SIMPLE else text
    else:
        text = _sum(names, parts, float(np.mean(values[target] - np.array(parts) @ values[[first, second]])))
    text = f"column {views.names[target]!r} is {text} in every row"
    return Finding(Importance.WARNING, "derived", text, CHOOSE_OF_THREE, _named(views, target, first, second))


def _sum(names: list[str], parts: list[float], offset: float) -> str:
    """A sum of two columns with their factors, such as 'a' - 2*'b' + 5."""
    (one, two), (first, second) = names, parts
    joined = f"{_factor(first)}{one} {'+' if second > 0.0 else '-'} {_factor(abs(second))}{two}"
    size = abs(first) + abs(second)
    return joined + ("" if abs(offset) < 1e-6 * size else _offset(offset))


def _constant(views: _Views, target: int, first: int, second: int, parts: list[float]) -> float:
    """Log of the constant factor of a product."""
    logs = views.logs
    return float(np.mean(logs[target] - parts[0] * logs[first] - parts[1] * logs[second]))


def _power(name: str, exponent: float) -> str:
    nearest = round(2.0 * exponent) / 2.0
    shown = nearest if abs(exponent - nearest) < SIMPLE else exponent
    return name if shown == 1.0 else f"{name}^{_number(shown)}"


def _sums(views: _Views, places: list[int]) -> Iterator[Finding]:
    """Columns whose sum, each with a factor, is constant: shares that add up to 1, for example."""
    own = places[:MOST_TOGETHER]
    if not 3 <= len(own) < views.plain.shape[1]:
        return
    standard = _standard(views.plain[own])
    _, singular, right = thin_svd(standard.T)
    if singular[-1] ** 2 > ROUNDED or (len(singular) > 1 and singular[-2] ** 2 < 10.0 * ROUNDED):
        return
    with np.errstate(all="ignore"):
        raw = right[-1] / views.plain[own].std(axis=1)
    parts = raw / raw[int(np.argmax(np.abs(right[-1])))]
    taken = [place for place, part in enumerate(right[-1].tolist()) if abs(part) > LEAST_PART]
    names = [views.names[own[place]] for place in taken]
    total = float(np.mean(parts[taken] @ views.plain[own][taken]))
    if all(math.isclose(parts[place], 1.0, abs_tol=SIMPLE) for place in taken):
        text = f"columns {listed(names)} add up to {total:.6g} in every row"
    else:
        text = f"each of the columns {listed(names)} follows from the others by a sum with constant factors"
    yield Finding(Importance.WARNING, "derived", text, "leave one of them out", tuple(names))
