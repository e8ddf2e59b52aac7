"""Every function that a row of the operator table may call, in every language that has it."""

import ast

import numpy as np
import pytest
from runners import RUNNERS, needed
from spreadsheet import calc_values

from mosaic_sr.exports import PROGRAMS
from mosaic_sr.exports.functions import ALL, COMMON, SPECIAL
from mosaic_sr.exports.language import Argument
from mosaic_sr.exports.source import Writer, assembled
from mosaic_sr.expressions.printing import Piece
from mosaic_sr.expressions.rows import numpy_function
from mosaic_sr.operators import OPERATORS

OF_TWO = ("hypot", "arctan2", "copysign", "maximum", "minimum")
# Within every domain and outside of each.
ROWS = np.array([[-2.5, -1.0, -0.3, 0.4, 1.0, 1.7, 3.0], [1.5, -2.0, 0.3, -0.4, 1.0, 2.5, -7.0]])


def written(row, function, number):
    """A law that is one call."""
    names = ("a", "b")[: 1 + (function in OF_TWO)]
    tree = ast.parse(f"{function}({', '.join(names)})", mode="eval").body
    text = Writer(row, {}, ()).row(tree, {"a": Piece("x"), "b": Piece("y")}, OPERATORS[0]).text
    arguments = [Argument(word, word) for word in "xy"[: len(names)]]
    return assembled(row, row.law(f"law_{number}", arguments, text), [])


def expected(function):
    """Numpy's values; NaN also for infinite ones, which some languages do not have."""
    with np.errstate(all="ignore"):
        values = numpy_function(function)(*ROWS[: 1 + (function in OF_TWO)])
    return np.where(np.isfinite(values), values, np.nan)


@pytest.mark.parametrize("language", PROGRAMS)
def test_every_function_of_a_language_has_numpys_values(language, tmp_path):
    row = PROGRAMS[language]
    functions = sorted(row.functions)
    sources = [written(row, function, number) for number, function in enumerate(functions)]
    if language == "excel":
        office = needed("soffice", "libreoffice")
        values = calc_values(office, sources, {"x": ROWS[0], "y": ROWS[1]}, tmp_path)
    else:
        arguments = [list(ROWS[: 1 + (function in OF_TWO)]) for function in functions]
        values = RUNNERS[language](sources, arguments, ROWS.shape[1], tmp_path)
    for function, found in zip(functions, np.where(np.isfinite(values), values, np.nan), strict=True):
        np.testing.assert_allclose(found, expected(function), rtol=1e-12, atol=1e-15, err_msg=f"{language} {function}")


@pytest.mark.parametrize("language", PROGRAMS)
def test_every_language_has_the_common_functions(language):
    assert set(COMMON) <= PROGRAMS[language].functions.keys() <= {*ALL, *SPECIAL}


def test_a_choice_is_written_in_every_language(tmp_path):
    tree = ast.parse("a * 2.0 if a > b else 0.1", mode="eval").body
    for language in ("python", "torch", "c", "javascript", "matlab"):
        row = PROGRAMS[language]
        text = Writer(row, {}, ()).row(tree, {"a": Piece("x"), "b": Piece("y")}, OPERATORS[0]).text
        source = assembled(row, row.law("law_0", [Argument("x", "x"), Argument("y", "y")], text), [])
        values = RUNNERS[language]([source], [list(ROWS)], ROWS.shape[1], tmp_path)
        np.testing.assert_array_equal(values[0], np.where(ROWS[0] > ROWS[1], ROWS[0] * 2.0, 0.1))
