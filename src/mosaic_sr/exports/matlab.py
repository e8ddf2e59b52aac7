"""MATLAB, which Octave reads too, and Julia: functions of arrays, element by element."""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_sr.exports.functions import ALL, COMMON, OF_TWO, SHORT
from mosaic_sr.exports.identifiers import MOST_LETTERS, Words
from mosaic_sr.exports.language import Argument, Language, called, digits, exponent_text
from mosaic_sr.exports.source import infix_power
from mosaic_sr.expressions.printing import Piece

MATLAB_WORDS = """
break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endclassdef endenumeration
endevents endfor endfunction endif endmethods endparfor endproperties endswitch endwhile enumeration events for function
global if methods otherwise parfor persistent properties return spmd switch try until unwind_protect
unwind_protect_cleanup while Inf NaN value
"""
# From here on Octave computes whole powers of negative numbers by complex ones, as if they were fractional.
MOST_WHOLE = 2.0**31
# Where a function has no real value MATLAB computes with complex numbers; a law is NaN there.
MATLAB_HELPERS = {
    "real_or_nan": """\
function value = real_or_nan(value)
    % NaN where a function has no real value.
    value(imag(value) ~= 0) = NaN;
    value = real(value);
end""",
    "real_power": """\
function value = real_power(a, b)
    % a .^ b, NaN where it has no real value: a fractional power of a negative number.
    is_fraction = (a < 0) & (b ~= fix(b));
    is_odd = ((a < 0) | (1 ./ a < 0)) & (mod(b, 2) == 1);
    value = (abs(a) .^ b) .* (1 - 2 .* is_odd);
    value(is_fraction & ~isinf(a)) = NaN;
end""",
    "larger": """\
function value = larger(a, b)
    % The larger one; NaN where one of them is.
    value = max(a, b);
    value(isnan(a + zeros(size(value))) | isnan(b + zeros(size(value)))) = NaN;
end""",
    "smaller": """\
function value = smaller(a, b)
    % The smaller one; NaN where one of them is.
    value = min(a, b);
    value(isnan(a + zeros(size(value))) | isnan(b + zeros(size(value)))) = NaN;
end""",
    "choose": """\
function value = choose(test, a, b)
    % a where the test holds, else b.
    value = b + zeros(size(test));
    a = a + zeros(size(test));
    value(test) = a(test);
end""",
}
# Functions with a border beyond which MATLAB's are complex.
BORDERED = {name: SHORT.get(name, name) for name in ("sqrt", "log", "log2", "log10", "log1p", "arcsin", "arccos")}
BORDERED |= {name: SHORT[name] for name in ("arccosh", "arctanh")}


def _matlab_power(base: Piece, exponent: Piece) -> Piece:
    if exponent.number is not None and exponent.number.is_integer() and abs(exponent.number) < MOST_WHOLE:
        return infix_power(" .^ ", base, exponent_text(exponent))
    return Piece(f"real_power({base.text}, {exponent.text})")


def _matlab_function(name: str, arguments: Sequence[Argument], body: str) -> str:
    head = f"function value = {name}({', '.join(argument.identifier for argument in arguments)})"
    return f"{head}\n    value = {body};\nend"


MATLAB = Language(
    name="matlab",
    number=digits("Inf", "NaN", has_point=False),
    power=_matlab_power,
    functions={
        **called("", (*COMMON, *SHORT, *OF_TWO, "expm1", "abs", "ceil", "sign", "erf", "erfc", "gamma"), SHORT),
        **{name: f"real_or_nan({word}({{}}))" for name, word in BORDERED.items()},
        **{"cbrt": "nthroot({}, 3)", "exp2": "(2 .^ ({}))", "trunc": "fix", "maximum": "larger", "minimum": "smaller"},
    },
    choice="choose({}, {}, {})",
    words=Words(frozenset(MATLAB_WORDS.split()), is_ascii=True, has_leading_line=False, most_letters=MOST_LETTERS),
    law=_matlab_function,
    function=_matlab_function,
    helpers=MATLAB_HELPERS,
    symbols={"*": " .* ", "/": " ./ "},
    comment="% {}",
    is_law_first=True,  # the first function of a file is the one that others can call
)

JULIA_WORDS = """
abstract baremodule begin break catch const continue do else elseif end export false finally for function global if
import in isa let local macro module mutable outer primitive public quote return struct true try type using where while
Inf NaN
"""
# Functions of Base that a target may be called as: Julia refuses to define one that is in use.
JULIA_FUNCTIONS = """
pi abs angle cat circle close conj copy count cumsum cut delta diff digits div download eps error exponent
factor factorial fill filter first float floor gcd get hash identity imag in index insert inv invoke isreal join keys
kron last length lock log map mark mask max maximum merge min minimum mod muladd names ndims norm nothing numerator
denominator one ones open pairs parent position precision print prod push range rank read real reduce rem repeat
replace reset resize reverse rotate round run set sign signed significand size skip sleep sort split stat step string
strip sum tail task throw time touch trace transpose trunc union unique unsigned values vec view wait which widen write
zero zeros
"""


def _julia_power(base: Piece, exponent: Piece) -> Piece:
    return infix_power("^", base, exponent_text(exponent))


def _julia_function(name: str, arguments: Sequence[Argument], body: str) -> str:
    return f"function {name}({', '.join(argument.identifier for argument in arguments)})\n    @. {body}\nend"


JULIA_NAMES = SHORT | {"maximum": "max", "minimum": "min", "arctan2": "atan"}

JULIA = Language(
    name="julia",
    number=digits("Inf", "NaN"),
    power=_julia_power,
    functions=called("", ALL, JULIA_NAMES),
    choice="ifelse({}, {}, {})",
    words=Words(frozenset(JULIA_WORDS.split())),
    law=_julia_function,
    function=_julia_function,
    function_words=frozenset(JULIA_FUNCTIONS.split()),
)
