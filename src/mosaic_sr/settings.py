"""The user's words become a `SearchConfig`, or an `InvalidSettings` that says what was expected and what came."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from mosaic_sr.equation import in_table_units
from mosaic_sr.errors import InvalidFile, InvalidFormula, InvalidSettings
from mosaic_sr.expressions.definitions import (
    EXAMPLES,
    KINDS,
    define,
    defined_in,
    functions_with,
    is_definition,
    refuse_too_long,
    write_out,
)
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.grammar import FUNCTIONS
from mosaic_sr.fitting.named import notes_on_names, parse_named
from mosaic_sr.intervals import check_method
from mosaic_sr.limits import Limits
from mosaic_sr.losses import SQUARED, refuse_unfit_target, to_loss, with_loss_weights
from mosaic_sr.named_laws import named_forms
from mosaic_sr.operators import ARITY, CODES, NAMES, operator_named
from mosaic_sr.pipeline import PRESETS, SearchConfig
from mosaic_sr.proposal import PriorConfig, expanded
from mosaic_sr.proposal.prior.session import load_session
from mosaic_sr.requirements import Required
from mosaic_sr.table import Table, unscaled
from mosaic_sr.template_form import SIGNS, TemplateConfig, UnknownOptions, unknowns_in

# What users of other packages write for our operator names.
SYMBOLS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "^": "pow", "**": "pow", "square": "sq", "ln": "log"}

# A path keeps the best program of each size, so that its memory grows with the square: 8 MB for all of them at 100.
# Proposers and guesses may bring longer laws.
MOST_NODES_OF_PATHS = 100

# The guess that stands for the forms of all named laws.
NAMED = "named"

# What may be said of an unknown function of a template.
OPERATOR_WORDS = ("binary_operators", "unary_operators")
UNKNOWN_WORDS = (*OPERATOR_WORDS, "maxsize", "sign")
UNKNOWNS_EXAMPLE = '{"f": {"maxsize": 9, "sign": "positive"}}'

PRIOR_FOLDER = "a folder written by `mosaic pretrain export`"

# Options that a search of templates does not know; the unknowns of a template have operators, size and sign.
WITHOUT_TEMPLATE = (
    "constraints",
    "must_use",
    "complexity_of_operators",
    "complexity_of_constants",
    "complexity_of_variables",
    "nested_constraints",
    "maxdepth",
    "loss",
    "dimensionless_constants_only",
)


@dataclass(frozen=True)
class SearchOptions:
    """What a user may say about a search; None leaves the choice to the preset."""

    preset: str = "default"
    binary_operators: Sequence[str] | None = None
    unary_operators: Sequence[str] | None = None
    maxsize: int | None = None
    model_selection: str | None = None
    max_evaluations: int | None = None
    time_limit: float | None = None
    without: Sequence[str] = ()
    prior: str | Path | None = None
    stability: int = 0
    intervals: str | None = None
    constraints: Any = None
    must_use: Sequence[str] | None = None
    complexity_of_operators: Mapping[str, float] | None = None
    complexity_of_constants: float | None = None
    complexity_of_variables: float | None = None
    nested_constraints: Mapping[str, Mapping[str, int]] | None = None
    maxdepth: int | None = None
    loss: str = SQUARED
    dimensionless_constants_only: bool = False
    template: str | None = None
    unknowns: Mapping[str, Mapping[str, Any]] | None = None

    def config(self) -> SearchConfig:
        """The settings of all stages."""
        if self.preset not in PRESETS:
            raise InvalidSettings(f"unknown preset {self.preset!r}; the presets are {', '.join(PRESETS)}")
        if self.intervals is not None:
            check_method(self.intervals)
        config, limits = PRESETS[self.preset](), self._limits()
        without = (*config.proposal.without, *expanded(_words(self.without, "without")))
        path = (
            config.refinement.path
            if limits.maxsize is None
            else replace(config.refinement.path, maxsize=min(limits.maxsize, MOST_NODES_OF_PATHS))
        )
        selection = replace(config.selection, limits=limits, loss=to_loss(self.loss).text)
        if self.model_selection is not None:
            selection = replace(selection, model_selection=self.model_selection)
        return replace(
            config,
            proposal=replace(
                config.proposal, operators=limits.expressible, without=without, prior=self._prior(config.proposal.prior)
            ),
            refinement=replace(config.refinement, operators=limits.expressible, path=path),
            selection=selection,
            max_evaluations=self._max_evaluations(config.max_evaluations),
            template=self._template(selection.model_selection),
        )

    @property
    def num_samples(self) -> int:
        """Bootstrap samples that are searched after the table."""
        return _whole("stability", self.stability, 0)

    def _max_evaluations(self, usual: float) -> float:
        """The user's number of candidates; else none under a time limit of his own, and the usual one without."""
        if self.max_evaluations is not None:
            return _whole("max_evaluations", self.max_evaluations, 1)
        return usual if self.time_limit is None else math.inf

    def _prior(self, usual: PriorConfig) -> PriorConfig:
        """How the prior is asked, with the user's own weights where he names them: refused now or never."""
        if self.prior is None:
            return usual
        if not isinstance(self.prior, str | Path):
            raise InvalidSettings(f"prior must be {PRIOR_FOLDER}, got {self.prior!r}")
        weights = Path(self.prior).absolute()
        try:
            load_session(weights)
        except InvalidFile as error:
            raise InvalidFile(f"{error}; prior must be {PRIOR_FOLDER}") from error
        return replace(usual, weights=weights)

    def _template(self, model_selection: str) -> TemplateConfig | None:
        """The template as it stands, refused where it is none or other options contradict it."""
        if self.template is None:
            if self.unknowns:
                raise InvalidSettings("unknowns describe the functions of a template; give template too")
            return None
        if model_selection != "best":
            raise InvalidSettings(
                f"a template needs model_selection 'best', got {model_selection!r}; leave it out, or leave out template"
            )
        usual = SearchOptions()
        for name in WITHOUT_TEMPLATE:
            if getattr(self, name) != getattr(usual, name):
                raise InvalidSettings(f"{name} cannot be combined with a template; leave one of them out")
        defined = [name for name in self._operators() if name not in NAMES]
        return TemplateConfig(self.template, tuple(self._unknowns(unknowns_in(self.template, functions_with(defined)))))

    def _unknowns(self, names: Sequence[str]) -> Iterator[UnknownOptions]:
        """What is said about the unknowns of a template, which are called `names`."""
        if not isinstance(self.unknowns or {}, Mapping):
            raise InvalidSettings(
                f"unknowns must be a dictionary such as {UNKNOWNS_EXAMPLE}, got {self.unknowns!r:.60}"
            )
        for name, given in (self.unknowns or {}).items():
            if name not in names:
                what = "an operator" if name in FUNCTIONS else "no unknown function of the template"
                raise InvalidSettings(f"unknowns: {name!r} is {what}; the template has {', '.join(names) or 'none'}")
            if not isinstance(given, Mapping) or (foreign := set(given) - set(UNKNOWN_WORDS)):
                found = repr(given) if not isinstance(given, Mapping) else f"the word {min(foreign)!r}"
                words = ", ".join(UNKNOWN_WORDS)
                raise InvalidSettings(f"unknowns: {name!r} takes {words}, as in {UNKNOWNS_EXAMPLE}, got {found:.60}")
            sign = given.get("sign") or ""
            if sign not in ("", *SIGNS):
                raise InvalidSettings(f"unknowns: the sign of {name!r} must be positive or negative, got {sign!r}")
            operators = {word: given[word] for word in OPERATOR_WORDS if given.get(word) is not None}
            allowed = replace(self, **operators)._operators() if operators else None
            maxsize = None if given.get("maxsize") is None else _whole(f"maxsize of {name!r}", given["maxsize"], 1)
            yield UnknownOptions(name, allowed, maxsize, sign)

    def _limits(self) -> Limits:
        plain = Limits(self._operators(), None if self.maxsize is None else _whole("maxsize", self.maxsize, 3))
        return Required(**{name: getattr(self, name) for name in Required.__dataclass_fields__}).added_to(plain)

    def _operators(self) -> tuple[str, ...]:
        allowed = [*_named(self.binary_operators, 2), *_named(self.unary_operators, 1)]
        if not allowed:
            raise InvalidSettings("no operators are allowed; give at least one in binary_operators or unary_operators")
        defined = tuple(dict.fromkeys(name for name in allowed if name not in NAMES))
        labels = [operator_named(name).label for name in defined]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise InvalidSettings(f"the operator {twice!r} is defined twice; give the definitions different names")
        return (*(name for name in NAMES if name in allowed), *defined)


def num_threads(n_jobs: int | None) -> int:
    """Threads as scikit-learn counts them: none is one, -1 is one per processor, -2 one fewer."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise InvalidSettings(f"n_jobs must be an integer other than 0, got {n_jobs!r}")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def in_usable_units(table: Table, config: SearchConfig) -> Table:
    """The table as it is, or in the user's units where a law may not multiply by a number to return to them."""
    return table if config.selection.limits.allow_units else unscaled(table)


def with_own_loss(table: Table, config: SearchConfig) -> Table:
    """The table with the row weights of the user's loss, once the loss is known to suit the rows."""
    loss = to_loss(config.selection.loss)
    if loss.text == SQUARED:
        return table
    stated = {
        "sigma": table.training.has_sigma, "X_sigma": table.training.has_x_sigma, "limits": table.censored is not None
    }  # fmt: skip
    if any(stated.values()):
        what = next(name for name, is_given in stated.items() if is_given)
        raise InvalidSettings(
            f"loss={loss.text!r} cannot be used with {what}: these are for normal errors, whose loss is squared; "
            "leave one of them out, or give the rows weights"
        )
    plain = unscaled(table)
    for rows in {id(rows): rows for rows in (plain.training, plain.validation)}.values():
        refuse_unfit_target(loss, rows.target)
    return with_loss_weights(table, loss)


def with_guesses(config: SearchConfig, guesses: Sequence[Expression]) -> SearchConfig:
    """The settings with formulas over the table's columns to start from, besides those that they have.

    Operators that were defined for an earlier search and not for this one are written out.
    """
    operators = set(config.proposal.operators)
    guesses = [guess if operators.issuperset(defined_in([guess])) else write_out(guess).expression for guess in guesses]
    return replace(config, proposal=replace(config.proposal, guesses=(*config.proposal.guesses, *guesses)))


def own_guesses(guesses: Sequence[str] | None) -> tuple[str, ...]:
    """The user's formulas, without the word that asks for named laws."""
    return () if guesses is None or guesses == NAMED else tuple(w for w in _words(guesses, "guesses") if w != NAMED)


def with_named_forms(config: SearchConfig, guesses: Sequence[str] | None, table: Table) -> tuple[SearchConfig, Table]:
    """The settings with the forms of named laws over the columns of the table, where `guesses` asks for them.

    The table has a note of it then.
    """
    if guesses is None or (guesses != NAMED and NAMED not in guesses):
        return config, table
    forms = named_forms(table.used, config.proposal.operators, table.num_rows)
    note = f"the forms of named laws were tried as guesses: {len(forms)} formulas over the columns of the table"
    own = tuple(in_table_units(form, table) for form in forms)
    return replace(config, proposal=replace(config.proposal, named_forms=own)), replace(
        table, notes=(*table.notes, note)
    )


def parse_guesses(
    guesses: Sequence[str] | None, table: Table, names: Sequence[str], operators: Sequence[str] = NAMES
) -> tuple[list[Expression], list[str]]:
    """The user's formulas over the columns called `names`, in the table's units, and notes on how they were read.

    Names that are no columns are constants without a value yet, as in `mosaic constants`. The formulas may use the
    operators that the user defines.
    """
    functions = functions_with(name for name in operators if name not in NAMES)
    parsed, notes = [], []
    for text in own_guesses(guesses):
        formula = parse_named(text, names, functions)
        notes += notes_on_names(formula, [*names, table.target_name])
        expression = refuse_too_long(formula.expression)
        _refuse_unusable(text, expression, table, names)
        parsed.append(in_table_units(expression, table))
    return parsed, notes


def _refuse_unusable(text: str, guess: Expression, table: Table, names: Sequence[str]) -> None:
    """Refuse a guess that reads a column out of use, or has more constants than there are rows to fit them to."""
    ignored = [names[column] for column in guess.columns if column not in table.used]
    if ignored:
        notes = "; ".join(note for note in table.notes if f"column {ignored[0]!r}" in note)
        raise InvalidFormula(f"the guess {text!r} uses column {ignored[0]!r}, which is ignored: {notes}")
    if guess.num_constants > table.num_rows:
        raise InvalidFormula(
            f"the guess {text!r} has {guess.num_constants} constants and the table {table.num_rows} distinct rows; "
            "give more rows or a guess with fewer constants"
        )


def _whole(label: str, value: Any, least: int) -> int:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    # The rest of an infinite number is NaN.
    if not is_number or value % 1 != 0 or value < least:
        raise InvalidSettings(f"{label} must be an integer of at least {least}, got {value!r}")
    return int(value)


def _words(words: Sequence[str], label: str) -> tuple[str, ...]:
    if isinstance(words, str):
        raise InvalidSettings(f"{label} must be a list, e.g. [{words!r}], got the text {words!r}")
    return tuple(words)


def _named(operators: Sequence[str] | None, arity: int) -> list[str]:
    """Our names of the user's operators of one arity."""
    known = [name for name in NAMES if ARITY[CODES[name]] == arity]
    if operators is None:
        return known
    return [_our_name(given, arity, known) for given in _words(operators, f"{KINDS[arity]}_operators")]


def _our_name(given: str, arity: int, known: Sequence[str]) -> str:
    """Our name of an operator, which the user names or defines."""
    if isinstance(given, str) and is_definition(given):
        return define(given, arity).name
    name = SYMBOLS.get(given, given)
    if name not in known:
        raise InvalidSettings(
            f"unknown {KINDS[arity]} operator {given!r}; the {KINDS[arity]} operators are {', '.join(known)};"
            f" define others as in {EXAMPLES[arity]!r}"
        )
    return name


def refuse_taken_names(config: SearchConfig, names: Sequence[str]) -> None:
    """Refuse operators of the user's that are called like a column: formulas could not tell one from the other."""
    for definition in config.proposal.operators:
        label = operator_named(definition).label
        if label != definition and label in names:
            raise InvalidSettings(
                f"the operator {definition!r} has the name of the column {label!r}; rename one of them"
            )
