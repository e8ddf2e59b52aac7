"""The languages that are written in Python: numpy, torch, jax and sympy."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from mosaic_sr.exports.functions import ALL, COMMON, SHORT, SPECIAL
from mosaic_sr.exports.identifiers import Words, identifiers
from mosaic_sr.exports.language import Argument, Language, called, digits, exponent_text, literal
from mosaic_sr.exports.source import infix_power
from mosaic_sr.expressions.grammar import PRECEDENCE
from mosaic_sr.expressions.printing import Piece
from mosaic_sr.expressions.simple_numbers import closed_form

# The last is the only other name that Python lets nobody assign.
MODULES = ("np", "special", "torch", "jnp", "jax", "sympy", "float", "__debug__")
WORDS = Words(frozenset((*keyword.kwlist, *MODULES)))


def python_names(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """A distinct Python identifier for each name; taken: other words that the source uses."""
    return identifiers(names, WORDS, taken)


def _power(base: Piece, exponent: Piece) -> Piece:
    return infix_power("**", base, exponent_text(exponent))


def _function(name: str, arguments: Sequence[Argument], body: str) -> str:
    return f"def {name}({', '.join(argument.identifier for argument in arguments)}):\n    return {body}"


def _imports(first: str, **others: str) -> Callable[[str], str]:
    """Imports: the first always, the others where the text uses their words."""

    def preamble(text: str) -> str:
        return "\n".join([first, *(line for word, line in others.items() if f"{word}." in text)])

    return preamble


PYTHON = Language(
    name="python",
    number=digits("np.inf", "np.nan"),
    power=_power,
    functions={**called("np.", ALL), **called("special.", SPECIAL)},
    choice="np.where({}, {}, {})",
    words=WORDS,
    law=_function,
    function=_function,
    preamble=_imports("import numpy as np", special="from scipy import special"),
    blank="\n\n\n",
)

TORCH = replace(
    PYTHON,
    name="torch",
    number=digits('float("inf")', 'float("nan")'),
    functions=called("torch.", (name for name in (*ALL, "erf", "erfc") if name != "cbrt")),
    choice="torch.where({}, {}, {})",
    number_argument="torch.tensor({}, dtype=torch.float64)",  # its functions of two arguments take tensors only
    preamble=_imports("import torch"),
)

JAX = replace(
    PYTHON,
    name="jax",
    number=digits("jnp.inf", "jnp.nan"),
    functions={**called("jnp.", ALL), **called("special.", SPECIAL)},
    choice="jnp.where({}, {}, {})",
    preamble=_imports(
        'import jax.numpy as jnp  # in 32 bits, unless you call jax.config.update("jax_enable_x64", True) first',
        special="from jax.scipy import special",
    ),
)


def _sympy_number(value: float) -> Piece:
    """Numbers in closed form as sympy's exact ones, whole numbers without a point, others by their digits."""
    form = closed_form(value)
    if form is None:
        plain = digits("sympy.oo", "sympy.nan")(value)
        return literal(plain.text.removesuffix(".0"), value) if abs(value) < 2**53 and value else plain
    fraction = re.fullmatch(r"(\d+)/(\d+)", form.text)
    exact = re.sub(r"\b(pi|sqrt)\b", r"sympy.\1", re.sub(r"\be\b", "sympy.E", form.text)).replace("^", "**")
    text = f"sympy.Rational({fraction[1]}, {fraction[2]})" if fraction else exact
    return Piece(f"-{text}" if value < 0 else text, PRECEDENCE["*"], value)


def _sympy_law(name: str, arguments: Sequence[Argument], body: str) -> str:
    symbols = [f"{argument.identifier} = sympy.Symbol({argument.column!r})" for argument in arguments]
    return "\n".join([*symbols, f"{name} = {body}"])


SYMPY_NAMES = {"abs": "Abs", "maximum": "Max", "minimum": "Min", "ceil": "ceiling"}

SYMPY = replace(
    PYTHON,
    name="sympy",
    number=_sympy_number,
    functions={
        **called("sympy.", (*COMMON, *SPECIAL, *SHORT, *SYMPY_NAMES, "sign"), SHORT | SYMPY_NAMES),
        "cbrt": "sympy.real_root({}, 3)",
    },
    choice="sympy.Piecewise(({1}, {0}), ({2}, True))",
    law=_sympy_law,
    preamble=_imports("import sympy"),
)
