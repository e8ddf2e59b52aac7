"""The proposers: one row each, from which every list of them follows.

To add one: write `propose_<name>` in its own file, add its row here and its settings to `ProposalConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.old_names import present_finder
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.context import Proposer
from mosaic_sr.proposal.dimensions import propose_dimensions
from mosaic_sr.proposal.enumeration import EnumerationConfig, propose_enumeration
from mosaic_sr.proposal.enumeration.additions import AdditionConfig, propose_additions
from mosaic_sr.proposal.enumeration.separable import SeparableConfig, propose_separable
from mosaic_sr.proposal.grammar import GrammarConfig, propose_grammar
from mosaic_sr.proposal.guesses import propose_guesses
from mosaic_sr.proposal.pairs import PairConfig, propose_pairs
from mosaic_sr.proposal.prior import PriorConfig, propose_prior
from mosaic_sr.proposal.products import ProductConfig, propose_products
from mosaic_sr.proposal.reductions import propose_reductions
from mosaic_sr.proposal.sums import propose_sums
from mosaic_sr.proposal.waves import propose_waves


@dataclass(frozen=True)
class Row:
    """A proposer.

    settings: names of its settings in `ProposalConfig`, which `propose` takes first.
    is_finder: whether it reads structure off the rows.  is_quick: whether it takes a second or less.
    is_recursive: whether it asks for the laws of smaller tables.
    begins_late: whether it begins after a round on rows that look noisy.
    is_for_exact_rows: whether it only sees what is exact.
    is_last: whether it begins when all others are done.
    stream: the number of its random numbers, kept for good, so that what joins or leaves does not change the others.
    """

    name: str
    propose: Callable[..., Any]
    stream: int
    is_finder: bool = False
    is_quick: bool = False
    is_recursive: bool = False
    begins_late: bool = False
    is_for_exact_rows: bool = False
    is_last: bool = False
    settings: tuple[str, ...] = ()


# In the order in which they are asked: cheap and certain first.
REGISTRY = (
    Row("guesses", propose_guesses, 0, settings=("guesses", "named_forms")),
    Row("dimensions", propose_dimensions, 13, is_finder=True, is_quick=True, is_recursive=True),
    Row("products", propose_products, 2, is_finder=True, is_quick=True, settings=("products",)),
    Row("sums", propose_sums, 3, is_finder=True, is_quick=True),
    Row("waves", propose_waves, 5, is_finder=True, is_quick=True),
    Row("additions", propose_additions, 14, settings=("additions",)),
    Row(
        "reductions",
        propose_reductions,
        11,
        is_finder=True,
        is_quick=True,
        is_recursive=True,
        begins_late=True,
        is_for_exact_rows=True,
    ),
    Row("prior", propose_prior, 7, settings=("prior",)),
    Row("pairs", propose_pairs, 9, is_finder=True, begins_late=True, is_for_exact_rows=True, settings=("pairs",)),
    Row("enumeration", propose_enumeration, 10, settings=("enumeration",)),
    Row("separable", propose_separable, 15, settings=("separable",)),
    Row("grammar", propose_grammar, 12, is_last=True, settings=("grammar",)),
)
PROPOSERS = tuple(row.name for row in REGISTRY)
STREAMS = {row.name: row.stream for row in REGISTRY}
# The word `finders` switches all of these off.
FINDERS = tuple(row.name for row in REGISTRY if row.is_finder)
QUICK = tuple(row.name for row in REGISTRY if row.is_quick)
RECURSIVE = tuple(row.name for row in REGISTRY if row.is_recursive)
LATE = tuple(row.name for row in REGISTRY if row.begins_late)
FOR_EXACT_ROWS = tuple(row.name for row in REGISTRY if row.is_for_exact_rows)
LAST = tuple(row.name for row in REGISTRY if row.is_last)


@dataclass(frozen=True)
class ProposalConfig:
    """What is proposed: the settings of each proposer under its name.

    operators: the names that sketches may use.  guesses: the user's formulas over the table's columns.
    named_forms: forms of named laws over the table's columns; none unless the user asks for them.
    without: proposers that are switched off.  is_brief: only the first turns of quick finders are taken.
    """

    operators: tuple[str, ...] = NAMES
    guesses: tuple[Expression, ...] = ()
    named_forms: tuple[Expression, ...] = ()
    without: tuple[str, ...] = ()
    is_brief: bool = False
    products: ProductConfig = field(default_factory=ProductConfig)
    prior: PriorConfig = field(default_factory=PriorConfig)
    pairs: PairConfig = field(default_factory=PairConfig)
    enumeration: EnumerationConfig = field(default_factory=EnumerationConfig)
    separable: SeparableConfig = field(default_factory=SeparableConfig)
    additions: AdditionConfig = field(default_factory=AdditionConfig)
    grammar: GrammarConfig = field(default_factory=GrammarConfig)

    def __post_init__(self) -> None:
        unknown = [name for name in self.without if name not in PROPOSERS]
        if unknown:
            known = f"{', '.join(PROPOSERS)}; finders stands for {', '.join(FINDERS)}"
            raise InvalidSettings(f"unknown proposer {unknown[0]!r}; the proposers are {known}")

    def proposers(self) -> dict[str, Proposer]:
        """All proposers with their settings, by name, in the order in which they are asked."""
        return {row.name: partial(row.propose, *(getattr(self, name) for name in row.settings)) for row in REGISTRY}


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Names of proposers with the word `finders` spelled out, and present names for earlier ones."""
    return tuple(chain.from_iterable(FINDERS if name == "finders" else (present_finder(name),) for name in names))
