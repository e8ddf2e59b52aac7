"""`GroupConstants`: a law whose constants differ from group to group, and the values and errors that follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import Equation
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.expressions.expression import make_expression
from mosaic_sr.expressions.varying import make_varying
from mosaic_sr.law_values import count, expect, finite, items, known_number, number, texts
from mosaic_sr.operators import CONSTANT, VARIABLE
from mosaic_sr.table.labels import Label, label_text

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

# Labels in a message; of thousands nobody reads more.
SHOWN_LABELS = 5


@dataclass(frozen=True, eq=False)
class GroupConstants:
    """The constants of a law in each group; the law itself has the means of those that vary.

    column: of the labels, empty where they came as an array.  labels: of the groups.  num_rows: (groups,).
    names: of the fitted constants.  places: (constants of the law,) which of them each constant is, -1 for a number.
    is_shared: (fitted,).  spread: (fitted,), standard deviation over the groups, 0 for shared ones.
    values, errors: (groups, fitted).  covariances: (groups, fitted, fitted).
    factors: (groups,) of the scatter of each group, or (0,) where the noise is the same in all.
    """

    column: str
    labels: tuple[Label, ...]
    num_rows: NDArray[np.int64]
    names: tuple[str, ...]
    places: tuple[int, ...]
    is_shared: NDArray[np.bool_]
    spread: Floats
    values: Floats
    covariances: Floats
    factors: Floats

    @property
    def errors(self) -> Floats:
        """(groups, fitted)."""
        return np.sqrt(np.maximum(np.diagonal(self.covariances, axis1=1, axis2=2), 0.0))

    @property
    def varying(self) -> tuple[str, ...]:
        """Names of the constants that differ from group to group."""
        return tuple(name for name, is_shared in zip(self.names, self.is_shared, strict=True) if not is_shared)

    def place(self, label: Label) -> int:
        """The number of a group; InvalidSettings where it is not known."""
        known = {label_text(own): number for number, own in enumerate(self.labels)}
        if label_text(label) not in known:
            shown = ", ".join(map(str, self.labels[:SHOWN_LABELS])) + (", ..." if len(known) > SHOWN_LABELS else "")
            raise InvalidSettings(f"no group {label!r}; the {len(known)} groups are {shown}")
        return known[label_text(label)]

    def law_of(self, law: Equation, group: int) -> Equation:
        """The law with the constants of one group."""
        values, errors = self.values[group], self.errors[group]
        constants = [
            own if place < 0 else values[place]
            for own, place in zip(law.expression.constants.tolist(), self.places, strict=True)
        ]
        own_errors = tuple(0.0 if place < 0 else float(errors[place]) for place in self.places)
        return replace(
            law,
            expression=law.expression.with_constants(constants),
            standard_errors=own_errors,
            covariance=tuple(map(tuple, self._by_constant(self.covariances[group]).tolist())),
            ties=(),
            named=None,
        )

    def _by_constant(self, matrix: Floats) -> Floats:
        """A matrix over the fitted constants as one over all constants of the law."""
        places, whole = np.array(self.places, dtype=np.intp), np.zeros((len(self.places),) * 2)
        fitted = np.flatnonzero(places >= 0)
        whole[np.ix_(fitted, fitted)] = matrix[np.ix_(places[fitted], places[fitted])]
        return whole

    def predict(self, law: Equation, columns: Floats, groups: Indices) -> Floats:
        """Values of the law in rows of these groups, -1 for unknown ones: (rows,); columns: (columns, rows)."""
        return self._evaluated(law, columns, groups)[0]

    @np.errstate(all="ignore")
    def standard_deviations(self, law: Equation, scatter: Scatter | None, columns: Floats, groups: Indices) -> Floats:
        """How far a new row may lie from the value: (rows,).

        Noise and errors of the group's constants; for a group that is not known the spread of constants over groups.
        """
        values, slopes = self._evaluated(law, columns, groups)
        noise = np.zeros(len(values)) if scatter is None else scatter.deviations(values)
        if len(self.factors):
            noise = noise * np.append(self.factors, np.sqrt(np.mean(np.square(self.factors))))[groups]
        means = self._of_means(law) + np.diag(np.square(self.spread))
        covariances = np.concatenate([self.covariances, means[None]])
        squares = np.zeros(len(values))
        for one in range(len(self.names)):
            for other in range(len(self.names)):
                squares += slopes[one] * slopes[other] * covariances[groups, one, other]
        return np.asarray(np.hypot(noise, np.sqrt(np.maximum(squares, 0.0))))

    def _evaluated(self, law: Equation, columns: Floats, groups: Indices) -> tuple[Floats, Floats]:
        places = np.array(self.places, dtype=np.int32)
        own = np.concatenate([self.values, self._means(law)[None]])[groups].T
        return make_varying(law.expression, places, len(columns)).evaluate(np.ascontiguousarray(columns), own)

    def _firsts(self) -> list[int]:
        """The first constant of the law that each fitted constant is."""
        return [self.places.index(fitted) for fitted in range(len(self.names))]

    def _means(self, law: Equation) -> Floats:
        return law.expression.constants[self._firsts()]

    def _of_means(self, law: Equation) -> Floats:
        """Covariance of the means: (fitted, fitted)."""
        firsts = self._firsts()
        return (
            np.nan_to_num(np.array(law.covariance)[np.ix_(firsts, firsts)])
            if law.covariance
            else np.zeros((len(firsts),) * 2)
        )

    def form(self, law: Equation) -> Equation:
        """The law with its fitted constants as columns behind the others, called by their names."""
        codes, slots = law.expression.codes.copy(), law.expression.slots.copy()
        kept: list[float] = []
        for node in np.flatnonzero(codes == CONSTANT).tolist():
            place = self.places[int(slots[node])]
            if place < 0:
                kept.append(float(law.expression.constants[slots[node]]))
            else:
                codes[node], slots[node] = VARIABLE, len(law.names) + place
        names = (*law.names, *self.marked(law.names))
        return replace(
            law, expression=make_expression(codes, slots, kept), names=names, standard_errors=(), covariance=()
        )

    def marked(self, taken: Sequence[str] = ()) -> tuple[str, ...]:
        """Names of the fitted constants, those of groups with `_g`, as an index; other than the names taken."""
        names: list[str] = []
        for name, is_shared in zip(self.names, self.is_shared, strict=True):
            own = name if is_shared else f"{name}_g"
            while own in taken or own in names:
                own += "_"
            names.append(own)
        return tuple(names)

    def table(self) -> pd.DataFrame:
        """One row per group: its rows, and of each constant that varies the value and its standard error."""
        import pandas as pd

        columns: dict[str, Any] = {"rows": self.num_rows}
        for place in np.flatnonzero(~self.is_shared).tolist():
            columns[self.names[place]] = self.values[:, place]
            columns[f"{self.names[place]}_error"] = self.errors[:, place]
        return pd.DataFrame(columns, index=pd.Index(list(self.labels), name=self.column or "group"))


def refuse_groups(groups: GroupConstants | None, what: str) -> None:
    """Refuse what knows no groups, where a law has them."""
    if groups is not None:
        raise InvalidSettings(f"{what} cannot show a law of groups yet; use group_law(label), or predict with groups")


def describe_groups(groups: GroupConstants | None) -> dict[str, Any]:
    """What a law file keeps of groups; nothing where there are none."""
    if groups is None:
        return {}
    own = np.flatnonzero(~groups.is_shared)
    return {
        "groups": {
            "column": groups.column,
            "constants": list(groups.names),
            "places": list(groups.places),
            "shared": groups.is_shared.tolist(),
            "spread": [finite(value) for value in groups.spread.tolist()],
            "common": [finite(value) for value in groups.values[0].tolist()],
            "each": [
                {
                    "label": label,
                    "rows": int(num_rows),
                    "values": [finite(value) for value in groups.values[group, own].tolist()],
                    "covariance": [[finite(value) for value in row] for row in groups.covariances[group].tolist()],
                    **({"factor": finite(float(groups.factors[group]))} if len(groups.factors) else {}),
                }
                for group, (label, num_rows) in enumerate(zip(groups.labels, groups.num_rows, strict=True))
            ],
        }
    }


def groups_in(content: Mapping[str, Any], num_constants: int) -> GroupConstants | None:
    """What `describe_groups` wrote; ValueError or KeyError where it is damaged."""
    if content.get("groups") is None:
        return None
    entry = expect(content["groups"], dict, "groups")
    names, each = texts(entry, "constants"), items(entry, "each", dict)
    is_shared = np.array(
        [expect(own, bool, "shared") for own in expect(entry["shared"], list, "shared")], dtype=np.bool_
    )
    places = tuple(int(number(own, "places")) for own in expect(entry["places"], list, "places"))
    if len(places) != num_constants or any(not -1 <= place < len(names) for place in places) or not each:
        raise ValueError("'groups' does not fit the constants of the law")
    common, own = _numbers(entry["common"], len(names)), np.flatnonzero(~is_shared)
    values = np.tile(common, (len(each), 1))
    values[:, own] = [_numbers(one["values"], len(own)) for one in each]
    return GroupConstants(
        column=expect(entry["column"], str, "column"),
        labels=tuple(_label(one["label"]) for one in each),
        num_rows=np.array([count(one["rows"], "rows") for one in each]),
        names=names,
        places=places,
        is_shared=is_shared,
        spread=_numbers(entry["spread"], len(names)),
        values=values,
        covariances=np.array([_square(one["covariance"], len(names)) for one in each]).reshape(
            len(each), len(names), -1
        ),
        factors=np.array([number(one["factor"], "factor") for one in each if "factor" in one]),
    )


def _label(value: Any) -> Label:
    if not isinstance(value, str | int | float | bool):
        raise ValueError(f"'label' is {value!r:.40}")
    return value


def _numbers(value: Any, length: int) -> Floats:
    own = [known_number(one, "groups", np.nan) for one in expect(value, list, "groups")]
    if len(own) != length:
        raise ValueError(f"'groups' holds {len(own)} numbers for {length} constants")
    return np.array(own)


def _square(value: Any, length: int) -> list[Floats]:
    rows = expect(value, list, "covariance")
    if len(rows) != length:
        raise ValueError(f"'covariance' of a group holds {len(rows)} rows for {length} constants")
    return [_numbers(row, length) for row in rows]


def shown_labels(labels: Sequence[Label]) -> str:
    """Some labels for a message."""
    distinct = list(dict.fromkeys(map(str, labels)))
    return ", ".join(distinct[:SHOWN_LABELS]) + (", ..." if len(distinct) > SHOWN_LABELS else "")
