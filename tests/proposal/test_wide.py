"""Wide dictionaries: one function times powers, cheap terms first."""

import numpy as np

from mosaic_sr.expressions.expression import variable
from mosaic_sr.expressions.text import parse
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.terms.atoms import make_wide_atoms
from mosaic_sr.proposal.terms.dictionary import list_wide_terms

LETTERS = ("a", "b", "c", "d")


def test_terms_are_cheap_first_and_the_limit_holds():
    atoms = make_wide_atoms(range(4), NAMES)
    terms = list_wide_terms(atoms, 5000)
    assert terms.shape == (5000, 3)
    costs = [sum(atoms[index].cost for index in term) for term in terms.tolist()]
    assert costs == sorted(costs)
    assert all(atoms[term[0]].power == 0.0 and term[0] > 0 for term in terms.tolist())


def test_functions_of_two_columns_times_powers_are_among_them():
    atoms = make_wide_atoms(range(4), NAMES)
    found = {
        frozenset(atoms[index].expression for index in term if index)
        for term in list_wide_terms(atoms, 40_000).tolist()
    }
    for function, *others in (
        ("cos(c - d)", "a", "b"),
        ("exp(-(a/b))", "c"),
        ("sqrt(a^2 + b^2)",),
        ("abs(a - b)", "d"),
    ):
        assert frozenset([parse(function, LETTERS), *(variable(LETTERS.index(one)) for one in others)]) in found


def test_forbidden_functions_do_not_occur():
    names = ("add", "mul", "sub", "cos")
    texts = {atom.expression for atom in make_wide_atoms(range(2), names)}
    assert parse("cos(a - b)", LETTERS) in texts
    assert not any(parse(text, LETTERS) in texts for text in ("exp(-(a - b))", "1/(a + b)", "sqrt(a^2 + b^2)"))


def test_no_column_gives_no_term():
    assert list_wide_terms(make_wide_atoms([], NAMES), 100).shape == (0, 3)
    assert np.issubdtype(list_wide_terms(make_wide_atoms([0], NAMES), 100).dtype, np.integer)
