"""C and JavaScript: functions of single numbers."""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_sr.exports.functions import ALL, COMMON, LOGARITHMS, SHORT, SPECIAL
from mosaic_sr.exports.identifiers import MOST_LETTERS, Words
from mosaic_sr.exports.language import Argument, Language, called, digits, exponent_text
from mosaic_sr.exports.source import infix_power
from mosaic_sr.expressions.grammar import ATOM_PRECEDENCE, PRECEDENCE
from mosaic_sr.expressions.printing import Piece

# The words of C and C++, so that both can compile it; macros of math.h and those that compilers define unasked.
C_WORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class co_await
co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do
double dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict
return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true try
typedef typeid typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq
DOMAIN HUGE HUGE_VAL INFINITY MAXFLOAT NAN OVERFLOW SING UNDERFLOW
errno fpclassify i386 isfinite isgreater isgreaterequal isinf isless islessequal islessgreater isnan isnormal
isunordered linux math_errhandling pow signbit unix NULL
"""
# What math.h declares; a variable may be called so.
C_FUNCTIONS = """
main acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh drem erf erfc exp exp10 exp2 expm1 fabs fdim
finite float_t double_t floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10
log1p log2 logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint round scalb scalbln
scalbn significand signgam sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
"""
C_NUMBER = digits("INFINITY", "NAN")


def _c_power(base: Piece, exponent: Piece) -> Piece:
    """Squares and cubes of one word by products, as the law computes them; pow for the rest."""
    if base.text.isidentifier() and exponent.number in (2.0, 3.0):
        return Piece(" * ".join([base.text] * int(exponent.number)), PRECEDENCE["*"])
    written = exponent if exponent.number is None else C_NUMBER(exponent.number)
    return Piece(f"pow({base.text}, {written.text})")


def _c_function(name: str, arguments: Sequence[Argument], body: str) -> str:
    parameters = ", ".join(f"double {argument.identifier}" for argument in arguments) or "void"
    return f"double {name}({parameters})\n{{\n    return {body};\n}}"


def _c_own(name: str, arguments: Sequence[Argument], body: str) -> str:
    """A function for this file only."""
    return f"static {_c_function(name, arguments, body)}"


# fmax and fmin of C leave out NaN. Columns are rarely called as these.
C_HELPERS = {
    "larger_of": "static double larger_of(double a, double b)\n{\n    return a >= b || a != a ? a : b;\n}",
    "smaller_of": "static double smaller_of(double a, double b)\n{\n    return a <= b || a != a ? a : b;\n}",
    "sign_of": "static double sign_of(double a)\n{\n    return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a;\n}",
}

C_NAMES = {
    **{"abs": "fabs", "gamma": "tgamma"},
    **{"maximum": "larger_of", "minimum": "smaller_of", "sign": "sign_of"},
}

C = Language(
    name="c",
    number=C_NUMBER,
    power=_c_power,
    functions=called("", (*ALL, *SPECIAL), SHORT | C_NAMES),
    choice="({} ? {} : {})",
    # A name that begins with an underscore may belong to the compiler.
    words=Words(frozenset(C_WORDS.split()), is_ascii=True, has_leading_line=False, most_letters=MOST_LETTERS),
    law=_c_function,
    function=_c_own,
    function_words=frozenset(C_FUNCTIONS.split()),
    helpers=C_HELPERS,
    preamble=lambda text: "#include <math.h>",
    comment="/* {} */",
)

JAVASCRIPT_WORDS = """
abstract arguments async await boolean break byte case catch char class const continue debugger default delete do double
else enum eval export extends false final finally float for from function get goto if implements import in instanceof
int interface let long native new null of package private protected public return set short static super switch
synchronized this throw throws transient true try typeof undefined var void volatile while with yield
Infinity NaN Math Number
"""
# In C and numpy 1 to any power is 1, and so is -1 to an infinite one.
JAVASCRIPT_HELPERS = {
    "ieee_power": """\
function ieee_power(a, b) {
  return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b;
}""",
    "copysign": """\
function copysign(a, b) {
  return Math.abs(a) * (b < 0 || Object.is(b, -0) ? -1 : 1);
}""",
}


def _javascript_power(base: Piece, exponent: Piece) -> Piece:
    if exponent.number is None:
        return Piece(f"ieee_power({base.text}, {exponent.text})")
    return infix_power(" ** ", base, exponent_text(exponent))


def _javascript_function(name: str, arguments: Sequence[Argument], body: str) -> str:
    return f"function {name}({', '.join(argument.identifier for argument in arguments)}) {{\n  return {body};\n}}"


JAVASCRIPT = Language(
    name="javascript",
    number=digits("Infinity", "NaN", has_point=False),
    power=_javascript_power,
    functions={
        **called("Math.", (*COMMON, *SHORT, *LOGARITHMS, "abs", "cbrt", "ceil", "hypot", "sign", "trunc"), SHORT),
        **{"maximum": "Math.max", "minimum": "Math.min", "exp2": "(2 ** ({}))", "copysign": "copysign"},
    },
    choice="({} ? {} : {})",
    words=Words(frozenset(JAVASCRIPT_WORDS.split())),
    law=_javascript_function,
    function=_javascript_function,
    helpers=JAVASCRIPT_HELPERS,
    comment="// {}",
    sign_operand=ATOM_PRECEDENCE,  # -x ** 2 is an error
)
