"""Rows that are added to the operator table, as CONTRIBUTING says, are exported too, and have the right values."""

import json

import numpy as np
import pytest
from runners import RUNNERS
from scipy import special
from scratch_table import make_scratch, run_in_scratch

EXPORT = """
import json
from mosaic_sr import parse
from mosaic_sr.errors import InvalidFormula
from mosaic_sr.exports import LANGUAGES, export
found = {}
for language in LANGUAGES:
    found[language] = []
    for number, text in enumerate(("max(x, y)", "sech(x)", "relu(x) - relu(y)", "max(x, 0.1) + max(2, y)", "erf(x)")):
        try:
            found[language].append(export(parse(text, ("x", "y")), ("x", "y"), language, f"law_{number}"))
        except InvalidFormula as error:
            found[language].append(str(error))
print(json.dumps(found))
"""
ROWS = np.array([[-1.5, 0.0, 0.7, 3.0, np.nan], [2.0, -0.5, 0.7, np.nan, 1.0]])


def expected():
    x, y = ROWS
    relu = [np.maximum(column, 0.0) for column in ROWS]
    sums = np.maximum(x, 0.1) + np.maximum(2.0, y)
    return np.array([np.maximum(x, y), 1.0 / np.cosh(x), relu[0] - relu[1], sums, special.erf(x)])


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = make_scratch(tmp_path_factory.mktemp("scratch"))
    return json.loads(run_in_scratch(folder, "-c", EXPORT))


# Calc and sympy have no NaN; the formulas of both are in tests/walk_scratch.py.
@pytest.mark.parametrize("language", [language for language in RUNNERS if language not in ("excel", "sympy")])
def test_added_operators_have_their_values(language, sources, tmp_path):
    x, y = ROWS
    arguments = [[x, y], [x], [x, y], [x, y], [x]]
    laws = [text for text in sources[language] if "cannot be written" not in text]
    assert len(laws) == (4 if language in ("javascript", "julia") else 5)  # these two have no erf of their own
    values = RUNNERS[language](laws, arguments[: len(laws)], ROWS.shape[1], tmp_path)
    np.testing.assert_allclose(values, expected()[: len(laws)], rtol=1e-12)
