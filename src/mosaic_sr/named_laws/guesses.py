"""The forms of named laws as formulas over the columns of a table, for a user who asks for them as guesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, permutations, zip_longest

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression, operator_names
from mosaic_sr.named_laws.catalogue import CATALOGUE
from mosaic_sr.named_laws.law import Law

# More variables can be bound to columns in too many ways.
MOST_VARIABLES = 3
# A formula takes some milliseconds to fit, all of them a few seconds.
MOST_FORMULAS = 400


def named_forms(columns: Sequence[int], operators: Iterable[str], num_rows: int) -> list[Expression]:
    """The forms over all choices of the columns, with constants yet to be fitted, the simplest first.

    operators: those that a formula may use.  num_rows: a formula has no more constants than that.
    """
    allowed = frozenset(operators)
    usable = [form for form in _forms() if operator_names(form) <= allowed and form.num_constants <= num_rows]
    classes = [
        _bound([form for form in usable if len(form.columns) == count], columns)
        for count in range(1, min(MOST_VARIABLES, len(columns)) + 1)
    ]
    # In turn, so that where there are too many, none of the classes is left out.
    mixed = (form for turn in zip_longest(*classes) for form in turn if form is not None)
    return list(islice(mixed, MOST_FORMULAS))


def _bound(forms: Sequence[Expression], columns: Sequence[int]) -> Iterator[Expression]:
    """Each form over each choice of columns; choices that lead to the same formula count once."""
    seen: set[bytes] = set()
    for form in forms:
        for chosen in permutations(columns, len(form.columns)):
            bound = canonical(form.renamed(chosen))
            if bound.key not in seen:
                seen.add(bound.key)
                yield bound


@cache
def _forms() -> tuple[Expression, ...]:
    """The distinct forms of the catalogue with open constants, those of fewer nodes first."""
    forms = dict.fromkeys(map(_open_form, (law for law in CATALOGUE if len(law.variables) <= MOST_VARIABLES)))
    return tuple(sorted((form for form in forms if form.num_constants), key=len))


def _open_form(law: Law) -> Expression:
    """The form with a hole for each constant; where constants only occur together, one hole stands for them."""
    formula = law.formula
    values = np.where(formula.parameter_of_constant < 0, formula.expression.constants, np.nan)
    return canonical(formula.expression.with_constants(values))
