"""Columns with any names, in every language, by running what is exported."""

from functools import reduce

import numpy as np
import pytest
from runners import RUNNERS, run

from mosaic_sr.exports import PROGRAMS, export
from mosaic_sr.expressions.expression import apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression

OWN_WORDS = """
double int return static restrict main unix linux errno NAN INFINITY pow fabs j0 y1 gamma signgam M_PI __LINE__ _Bool
function var let const await yield eval arguments undefined Infinity NaN Math Number power async enum this
end elseif endfunction global persistent value real_power real_or_nan larger ans i j eps Inf pi sum size isreal
begin quote module where struct ifelse length abstract ℯ
lambda None True class def import np special torch jnp jax sympy float __debug__ print self match
LN SQRT IF TRUE false A1 x1 XFD1048576 R1C1 R C r1 c2 AB12 t T
sqrt exp log sin cos tan sinh cosh tanh asin acos atan arcsin abs Abs maximum choose
"""
OTHERS = [
    "größe", "θ", "Ω", "温度", "скорость", "مسافة", "x²", "µ", "x y", "x-y", "x_y", "x_y_2", "", " ", "1st",
    "*/ int bad;", "a\nb", "a\\", "??/", "%{", "#=", "//", "<!--", "\u202eabc", '"', "'", "=1+1", "{}", "{0}", "a·b",
    "\u3164", "_", "l" * 300, "l" * 301, "coding: latin-1",
]  # fmt: skip
# A word may stand in two lists.
NAMES = tuple(dict.fromkeys([*OWN_WORDS.split(), *OTHERS]))


def law_of_all_columns():
    """Every column times its number, and some functions whose names are columns."""
    terms = [apply("mul", constant(float(number)), variable(number)) for number in range(len(NAMES))]
    calls = [apply(name, variable(NAMES.index(name))) for name in ("sqrt", "exp", "log", "abs", "sin")]
    return reduce(
        lambda left, right: apply("add", left, right), [*terms, *calls, apply("pow", variable(0), variable(1))]
    )


@pytest.mark.parametrize("language", RUNNERS)
def test_any_names_can_be_columns(language, tmp_path):
    columns = np.random.default_rng(0).uniform(0.5, 1.5, (len(NAMES), 2))
    law = law_of_all_columns()
    np.testing.assert_allclose(
        run(language, [law], NAMES, columns, tmp_path)[0], evaluate_expression(law, columns), rtol=1e-12
    )


@pytest.mark.parametrize("target", ["sqrt", "double", "y1", "länge", "x", "lambda", "", "*/", "a\nb", "length", "np"])
@pytest.mark.parametrize("language", PROGRAMS)
def test_the_function_has_a_name_of_its_own(language, target):
    law = apply("add", apply("sqrt", variable(0)), variable(1))
    source = export(law, ("x", "y1"), language, target)
    assert "\r" not in source
    if language in ("python", "torch", "jax", "sympy"):
        compile(source, "law", "exec")
    if language == "c":
        head = next(line for line in source.splitlines() if line.startswith("double "))
        assert head.removeprefix("double ").partition("(")[0] not in ("sqrt", "double", "y1", "x", "")


def test_comments_tell_which_column_is_meant():
    law = apply("add", variable(0), variable(1))
    assert export(law, ("my gravity", "x"), "c", "*/ period").splitlines()[2:4] == [
        "/* my_gravity stands for my gravity */",
        "/* period stands for * / period */",
    ]
    assert "# a_b stands for a\\nb" in export(law, ("a\nb", "x"), "python")
