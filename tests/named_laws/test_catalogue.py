"""Every row of the catalogue is complete, and the page that lists them is current."""

from pathlib import Path

import pytest

from mosaic_sr.named_laws import CATALOGUE
from mosaic_sr.named_laws.index import kinds_in, kinds_of, shapes_of
from mosaic_sr.named_laws.listing import with_listing

PAGE = Path(__file__).parents[2] / "docs" / "named-laws.md"
each_law = pytest.mark.parametrize("law", CATALOGUE, ids=lambda law: law.name)


def test_the_catalogue_has_laws_of_many_fields_and_each_name_once():
    assert len(CATALOGUE) >= 120
    assert len({law.field for law in CATALOGUE}) >= 25
    assert len({law.name for law in CATALOGUE}) == len(CATALOGUE)


@each_law
def test_a_row_explains_every_name_of_its_form_and_no_other(law):
    assert set(law.parameters) == set(law.constants)
    assert law.formula.expression.columns == tuple(range(len(law.variables)))
    known = {*law.parameters}
    assert known.issuperset((*law.signed, *law.shifts, *law.angles))
    assert not set(law.signed) & set(law.shifts)
    assert not law.needs_hint or law.hints
    constants = dict.fromkeys(law.parameters, 0.7)
    for text in law.derived.values():
        law.value(text, constants)
    law.allows(constants)


@each_law
def test_a_row_is_looked_up_by_the_kinds_of_functions_that_its_normal_forms_have(law):
    shapes = [shape for shape, _ in shapes_of(law, False)]
    assert shapes
    assert {kinds_of(shape) for shape in shapes} == {kinds_in(law.formula.expression)}


def test_the_page_lists_the_rows_as_they_are():
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_listing(page), "run: python -m mosaic_sr.named_laws.listing docs/named-laws.md"
