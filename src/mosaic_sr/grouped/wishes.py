"""What a user says about a law of groups: guesses, and which constants differ from group to group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.definitions import functions_with, refuse_too_long
from mosaic_sr.fitting.named import notes_on_names, parse_named
from mosaic_sr.grouped.forms import Form, forms_of
from mosaic_sr.operators import NAMES
from mosaic_sr.settings import NAMED, own_guesses

Mask = NDArray[np.bool_]

# Names in a message.
SHOWN_NAMES = 8
# c1, c2, .. name the fitted constants of any law in reading order.
COUNTED = re.compile(r"c([1-9][0-9]*)")


@dataclass(frozen=True)
class Wishes:
    """forms: the user's guesses.  per_group: names of the constants that differ from group to group, () for any.

    named_laws: the word that asks for the forms of named laws, for searches of single groups.
    are_known: whether the law is one of the guesses, because `per_group` names constants of theirs.
    """

    forms: tuple[Form, ...] = ()
    per_group: tuple[str, ...] = ()
    named_laws: tuple[str, ...] = ()
    are_known: bool = False
    notes: tuple[str, ...] = ()

    @property
    def is_forced(self) -> bool:
        return bool(self.per_group)

    def may_vary(self, form: Form) -> Mask | None:
        """(parameters,), the constants that may vary; None for a form that does not have those named."""
        if not self.per_group:
            return np.ones(form.num_parameters, dtype=np.bool_)
        names = form.names if self.are_known else tuple(f"c{number + 1}" for number in range(form.num_parameters))
        if not set(self.per_group).issubset(names):
            return None
        return np.array([name in self.per_group for name in names], dtype=np.bool_)


def read_wishes(
    guesses: Sequence[str] | str | None,
    per_group: Sequence[str] | str | None,
    names: Sequence[str],
    target: str,
    operators: Sequence[str],
) -> Wishes:
    """The user's guesses over the columns called `names`, and his constants; refused where they do not fit."""
    wanted = (per_group,) if isinstance(per_group, str) else tuple(per_group or ())
    functions = functions_with(name for name in operators if name not in NAMES)
    formulas = [parse_named(text, names, functions) for text in own_guesses(guesses)]
    notes = [note for formula in formulas for note in notes_on_names(formula, [*names, target])]
    known = {name for formula in formulas for name in formula.names}
    are_known = bool(wanted) and any(name in known for name in wanted)
    for name in wanted:
        if name in known or (not are_known and COUNTED.fullmatch(str(name))):
            continue
        has = f"the guesses have {', '.join(sorted(known))}" if known else "no guess names a constant"
        raise InvalidSettings(
            f"per_group names {name!r}, but {has}; give a guess with this name, e.g. guesses=['{name}*x'], "
            "or c1, c2, ... for the constants of any law in reading order"
        )
    forms: list[Form] = []
    for formula in formulas:
        own = refuse_too_long(formula.expression)
        if not own.columns:
            raise InvalidSettings(f"a guess reads no column; the columns are {', '.join(names[:SHOWN_NAMES])}")
        forms.append(Form(own, formula.parameter_of_constant, formula.names, "guesses", is_written=True))
        if not are_known and not formula.names:
            forms += forms_of(own, "guesses")
    if are_known:
        forms = [form for form in forms if set(wanted).issubset(form.names)]
        if not forms:
            raise InvalidSettings(f"no guess has all of the constants {', '.join(wanted)}; give one guess that has")
    named = (NAMED,) if guesses == NAMED or (guesses is not None and NAMED in guesses) else ()
    return Wishes(tuple(forms), wanted, named, are_known, tuple(notes))
