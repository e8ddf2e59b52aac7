"""`Template`: a formula with unknown functions of named columns, read from its text and checked at the door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.errors import InvalidFormula
from mosaic_sr.expressions.expression import Expression, variable
from mosaic_sr.expressions.grammar import FUNCTIONS, NUMBERS
from mosaic_sr.expressions.lexer import Token, error_at, shorten, tokenize
from mosaic_sr.expressions.parser import parse
from mosaic_sr.expressions.text import to_text
from mosaic_sr.fitting.named import NamedFormula, notes_on_names, parse_named

# With more unknowns the smooth functions that stand for them have more coefficients than tables have rows.
MOST_UNKNOWNS = 5
SIGNS = ("positive", "negative")
DERIVATIVE = "D"
NO_DERIVATIVES = "derivatives of unknown functions, such as D(f, 1), are not supported; write a template without them"
# What is written in other packages, and what stands for it here.
FOREIGN = {
    "[": "name each constant, e.g. p1*f(x) + p2 instead of p[1]*f(x) + p[2]; constants per group are no part of it",
    ";": "it must be one formula, e.g. sin(f(x1, x2)) + g(x3); write intermediate steps out",
    "=": "give only the right-hand side, as one formula, e.g. sin(f(x1, x2)) + g(x3)",
}


@dataclass(frozen=True)
class UnknownOptions:
    """What the user says about an unknown function; None and "" leave it open.

    operators: names that it may use.  maxsize: largest number of its nodes.  sign: of its values in all rows.
    """

    name: str
    operators: tuple[str, ...] | None = None
    maxsize: int | None = None
    sign: str = ""


@dataclass(frozen=True)
class TemplateConfig:
    """The template as the user has written it, and what he says about its unknowns."""

    text: str
    unknowns: tuple[UnknownOptions, ...] = ()

    def options_of(self, name: str) -> UnknownOptions:
        """What is said about an unknown."""
        return next((one for one in self.unknowns if one.name == name), UnknownOptions(name))


@dataclass(frozen=True)
class Slot:
    """A place of an unknown; arguments: one expression over the columns for each.  label: as it is written."""

    unknown: int
    arguments: tuple[Expression, ...]
    label: str


@dataclass(frozen=True, eq=False)
class Template:
    """A formula over columns and slots.

    outer: the formula; columns come first, then one more column for each slot.
    constants: the names of its constants to fit.  parameters: (constants of outer,) index into these, -1 for a number.
    unknowns: the names of the unknown functions.  arities: how many arguments each has.
    """

    text: str
    names: tuple[str, ...]
    outer: Expression
    constants: tuple[str, ...]
    parameters: NDArray[np.int32]
    unknowns: tuple[str, ...]
    arities: tuple[int, ...]
    slots: tuple[Slot, ...]
    notes: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[int, ...]:
        """The columns that the formula or an argument reads."""
        outer = [column for column in self.outer.columns if column < len(self.names)]
        own = [column for slot in self.slots for argument in slot.arguments for column in argument.columns]
        return tuple(sorted({*outer, *own}))

    def slots_of(self, unknown: int) -> list[int]:
        """The places of an unknown among the slots."""
        return [place for place, slot in enumerate(self.slots) if slot.unknown == unknown]

    def label(self, unknown: int) -> str:
        """An unknown with the arguments of its first place."""
        return self.slots[self.slots_of(unknown)[0]].label


@dataclass(frozen=True)
class _Call:
    """A call of an unknown in the text; arguments: their texts."""

    name: Token
    start: int
    stop: int
    arguments: tuple[str, ...]


def parse_template(
    text: str, names: Sequence[str], target: str = "", functions: Mapping[str, str] = FUNCTIONS
) -> Template:
    """The template over the columns called `names`; `InvalidFormula` says what is wrong with it."""
    refuse_foreign(text)
    calls = _calls(text, functions)
    unknowns = tuple(dict.fromkeys(call.name.text for call in calls))
    slots, labels = list[Slot](), list[str]()
    for call in calls:
        _refuse_call(text, call, names)
        slot = _slot(call, unknowns, names, functions)
        labels.append(slot.label)
        slots += [] if slot in slots else [slot]
    arities = [len(next(slot for slot in slots if slot.unknown == place).arguments) for place in range(len(unknowns))]
    _refuse_arities(text, calls, dict(zip(unknowns, arities, strict=True)))
    formula, notes = _outer(text, calls, labels, slots, [*names], target, functions)
    bare = next((name for name in formula.names if name in unknowns), None)
    if bare is not None:
        raise InvalidFormula(
            f"the template {shorten(text)!r} uses {bare!r} with and without arguments; write {bare}(..)"
        )
    return Template(
        text, tuple(names), formula.expression, formula.names, formula.parameter_of_constant, unknowns,
        tuple(arities), tuple(slots), tuple(notes),
    )  # fmt: skip


def refuse_foreign(text: object) -> None:
    """Refuse what is no text, and what other packages write in templates."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidFormula(f"template must be a formula such as 'f(S)/(1 + g(I))', got {text!r:.60}")
    for symbol, remedy in FOREIGN.items():
        if symbol in text:
            reason = NO_DERIVATIVES if f"{DERIVATIVE}(" in text.replace(" ", "") else remedy
            raise InvalidFormula(f"the template {shorten(text)!r} contains {symbol!r}; {reason}")


def unknowns_in(text: str, functions: Mapping[str, str] = FUNCTIONS) -> tuple[str, ...]:
    """The names of the unknown functions of a template, before its columns are known."""
    refuse_foreign(text)
    return tuple(dict.fromkeys(call.name.text for call in _calls(text, functions)))


def _calls(text: str, functions: Mapping[str, str]) -> list[_Call]:
    """The calls of names that are no operators, in reading order."""
    tokens, found = tokenize(text), list[_Call]()
    for place, (token, following) in enumerate(pairwise(tokens)):
        is_call = token.kind == "name" and following.is_symbol("(")
        if not is_call or token.text in functions:
            continue
        if token.text == DERIVATIVE:
            raise InvalidFormula(f"the template {shorten(text)!r} contains a derivative; {NO_DERIVATIVES}")
        if token.text in NUMBERS:
            raise InvalidFormula(f"{token.text!r} is the name of a number; give the unknown function another name")
        if found and token.start < found[-1].stop:
            message = f"the unknown {token.text!r} stands inside {found[-1].name.text!r}; an argument has only columns"
            raise error_at(text, token.start, message)
        found.append(_call(text, tokens, place))
    if len({call.name.text for call in found}) > MOST_UNKNOWNS:
        raise InvalidFormula(f"the template {shorten(text)!r} has more than {MOST_UNKNOWNS} unknown functions")
    return found


def _call(text: str, tokens: Sequence[Token], place: int) -> _Call:
    """The call whose name is the token at `place`."""
    depth, arguments, start = 0, list[str](), tokens[place + 1].start + 1
    for token in tokens[place + 1 :]:
        depth += token.is_symbol("(") - token.is_symbol(")")
        is_end = token.is_symbol(")") and depth == 0
        if is_end or (token.is_symbol(",") and depth == 1):
            arguments.append(text[start : token.start].strip())
            start = token.start + 1
        if is_end:
            return _Call(tokens[place], tokens[place].start, start, tuple(arguments))
    raise error_at(text, tokens[place + 1].start, "this parenthesis is never closed")


def _refuse_call(text: str, call: _Call, names: Sequence[str]) -> None:
    name = call.name.text
    if name in names:
        message = f"{name!r} is a column and cannot be an unknown function; to multiply write {name}*(...)"
        raise error_at(text, call.start, message)
    if not all(call.arguments):
        message = f"the unknown {name!r} needs arguments, e.g. {name}({names[0] if names else 'x'})"
        raise error_at(text, call.start, message)


def _slot(call: _Call, unknowns: Sequence[str], names: Sequence[str], functions: Mapping[str, str]) -> Slot:
    arguments = tuple(parse(argument, names, functions) for argument in call.arguments)
    label = f"{call.name.text}({', '.join(to_text(argument, names) for argument in arguments)})"
    for argument in arguments:
        if not argument.columns or argument.num_holes or np.isnan(argument.constants).any():
            raise InvalidFormula(f"every argument of {label} must be a column or a formula of columns and numbers")
    if len(set(arguments)) < len(arguments):
        raise InvalidFormula(f"two arguments of {label} are the same; give each once")
    return Slot(unknowns.index(call.name.text), arguments, label)


def _refuse_arities(text: str, calls: Sequence[_Call], arities: Mapping[str, int]) -> None:
    for call in calls:
        name, count = call.name.text, len(call.arguments)
        if count != arities[name]:
            message = f"the unknown {name!r} has {arities[name]} argument(s) at first and {count} here; use one number"
            raise error_at(text, call.start, message)


def _outer(
    text: str,
    calls: Sequence[_Call],
    labels: Sequence[str],
    slots: Sequence[Slot],
    names: list[str],
    target: str,
    functions: Mapping[str, str],
) -> tuple[NamedFormula, list[str]]:
    """The formula in which each slot is one more column, and notes on how its names were read."""
    for slot in slots:
        if slot.label in names:
            raise InvalidFormula(f"{slot.label!r} is a column and an unknown function; rename one of them")
    rest, shown = 0, ""
    for call, label in zip(calls, labels, strict=True):
        quoted = label.replace("`", "``")
        shown, rest = f"{shown}{text[rest : call.start]}`{quoted}`", call.stop
    formula = parse_named(shown + text[rest:], [*names, *(slot.label for slot in slots)], functions)
    return formula, notes_on_names(formula, [*names, target] if target else names)


def slot_column(template: Template, slot: int) -> Expression:
    """The leaf of the outer formula that stands for a slot."""
    return variable(len(template.names) + slot)
