"""Proposers turn a table into sketches.

To add one: write `propose_<name>` in its own file, add its name to PROPOSERS and its settings to `ProposalConfig`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, count

import numpy as np

from mosaic_sr.budget import never
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.operators import NAMES
from mosaic_sr.proposal.curves import CurveConfig, propose_curves
from mosaic_sr.proposal.enumeration import SUMS, EnumerationConfig, propose_enumeration
from mosaic_sr.proposal.frequencies import FrequencyConfig, propose_frequencies
from mosaic_sr.proposal.grammar import GrammarConfig, propose_grammar
from mosaic_sr.proposal.groups import GroupConfig, propose_groups
from mosaic_sr.proposal.guesses import propose_guesses
from mosaic_sr.proposal.linear_bases import LinearConfig, propose_linear_bases
from mosaic_sr.proposal.lookup import LookupConfig, propose_lookup
from mosaic_sr.proposal.peeling import PeelingConfig, propose_peeling
from mosaic_sr.proposal.power_laws import PowerLawConfig, propose_power_laws
from mosaic_sr.proposal.prior import PriorConfig, propose_prior
from mosaic_sr.proposal.prior.decoding import DecodingConfig
from mosaic_sr.proposal.question import Coverage, Explore, Pause, Proposer, Question, Solve
from mosaic_sr.proposal.rationals import RationalConfig, propose_rationals
from mosaic_sr.proposal.scaling_laws import ScalingConfig, propose_scaling_laws
from mosaic_sr.sketch import Sketch

__all__ = [
    "FINDERS",
    "PATHS",
    "PROPOSERS",
    "QUICK",
    "RECURSIVE",
    "SUMS",
    "Coverage",
    "DecodingConfig",
    "Explore",
    "GrammarConfig",
    "PriorConfig",
    "ProposalConfig",
    "Question",
    "Solve",
    "expanded",
    "propose",
]

# In the order in which they are asked: cheap and certain first.
PROPOSERS = (
    "guesses",
    "power_laws",
    "scaling_laws",
    "linear_bases",
    "rationals",
    "frequencies",
    "groups",
    "prior",
    "curves",
    "lookup",
    "enumeration",
    "peeling",
    "grammar",
)
# Those that read structure off the rows; this word switches all of them off.
FINDERS = (
    "power_laws", "scaling_laws", "linear_bases", "rationals", "frequencies", "groups", "curves", "lookup", "peeling",
)  # fmt: skip
# Finders that take no more than a second or two together.
QUICK = FINDERS[: FINDERS.index("curves")]
# Those that only see what is exact: on rows that look noisy they begin after one round of turns, or after so many where
# noise is all that is left to explain; then they have one turn.
FOR_EXACT_ROWS = ("lookup", "peeling", "groups")
ROUNDS_BEFORE = 2
# Those that ask for the laws of smaller tables.
RECURSIVE = ("groups", "peeling")
# No proposer: a batch of this name says that the search paths may have a turn before slow proposers go on.
PATHS = "paths"
Started = dict[str, Iterator[list[Sketch]]]


@dataclass(frozen=True)
class ProposalConfig:
    """What is proposed.

    operators: the names that sketches may use.  guesses: the user's formulas over the table's columns.
    named_forms: forms of named laws over the table's columns; none unless the user asks for them.
    without: proposers that are switched off.
    """

    operators: tuple[str, ...] = NAMES
    guesses: tuple[Expression, ...] = ()
    named_forms: tuple[Expression, ...] = ()
    without: tuple[str, ...] = ()
    power_laws: PowerLawConfig = field(default_factory=PowerLawConfig)
    scaling_laws: ScalingConfig = field(default_factory=ScalingConfig)
    linear_bases: LinearConfig = field(default_factory=LinearConfig)
    rationals: RationalConfig = field(default_factory=RationalConfig)
    frequencies: FrequencyConfig = field(default_factory=FrequencyConfig)
    groups: GroupConfig = field(default_factory=GroupConfig)
    enumeration: EnumerationConfig = field(default_factory=EnumerationConfig)
    curves: CurveConfig = field(default_factory=CurveConfig)
    lookup: LookupConfig = field(default_factory=LookupConfig)
    peeling: PeelingConfig = field(default_factory=PeelingConfig)
    prior: PriorConfig = field(default_factory=PriorConfig)
    grammar: GrammarConfig = field(default_factory=GrammarConfig)

    def __post_init__(self) -> None:
        unknown = [name for name in self.without if name not in PROPOSERS]
        if unknown:
            known = f"{', '.join(PROPOSERS)}; finders stands for {', '.join(FINDERS)}"
            raise InvalidSettings(f"unknown proposer {unknown[0]!r}; the proposers are {known}")

    def proposers(self) -> dict[str, Proposer]:
        """All proposers with their settings, by name, in the order in which they are asked."""
        return {
            "guesses": partial(propose_guesses, self.guesses, self.named_forms),
            "power_laws": partial(propose_power_laws, self.power_laws),
            "scaling_laws": partial(propose_scaling_laws, self.scaling_laws),
            "linear_bases": partial(propose_linear_bases, self.linear_bases),
            "rationals": partial(propose_rationals, self.rationals),
            "frequencies": partial(propose_frequencies, self.frequencies),
            "groups": partial(propose_groups, self.groups),
            "prior": partial(propose_prior, self.prior),
            "curves": partial(propose_curves, self.curves),
            "lookup": partial(propose_lookup, self.lookup),
            "enumeration": partial(propose_enumeration, self.enumeration),
            "peeling": partial(propose_peeling, self.peeling),
            "grammar": partial(propose_grammar, self.grammar),
        }


def expanded(names: Iterable[str]) -> tuple[str, ...]:
    """Names of proposers with the word `finders` spelled out."""
    return tuple(chain.from_iterable(FINDERS if name == "finders" else (name,) for name in names))


def propose(question: Question, config: ProposalConfig, rng: np.random.Generator) -> Iterator[tuple[str, list[Sketch]]]:
    """Batches of sketches, each with the name of its proposer, by turns; between turns the paths are given one.

    Sketches that cannot become laws within the limits are left out.
    """
    proposers = config.proposers()
    # Each proposer has chances of its own, so that switching one off changes nothing for the others.
    started = {
        name: proposer(question, own_rng)
        for (name, proposer), own_rng in zip(proposers.items(), rng.spawn(len(proposers)), strict=True)
        if name not in config.without
    }
    last = {"grammar": started.pop("grammar")} if "grammar" in started else {}
    late: Started = {}
    if "enumeration" in started and question.looks_noisy:
        late = {name: started.pop(name) for name in FOR_EXACT_ROWS if name in started}
        started = {name: started[name] for name in sorted(started, key=_place_on_noisy_rows)}
    for name, sketches in chain(_by_turns(started, late, question.is_noise_left), _by_turns(last, {}, never)):
        # The user wants to hear of each guess, also of one that the limits forbid.
        is_free = name == "guesses" or question.limits.are_open
        yield name, sketches if is_free else [one for one in sketches if question.limits.may_lead(one.expression)]


def _place_on_noisy_rows(name: str) -> int:
    """On noisy rows forms are enumerated right after the quick finders."""
    return PROPOSERS.index("groups") if name == "enumeration" else PROPOSERS.index(name)


def _by_turns(started: Started, late: Started, is_noise_left: Callable[[], bool]) -> Iterator[tuple[str, list[Sketch]]]:
    """What each says up to its next pause, in turn, until all are done; after each round of turns the paths' own.

    late: those that begin after a round, or after `ROUNDS_BEFORE` where noise is left.
    """
    turns = deque(started.items())
    for num_rounds in count(1):
        for _ in range(len(turns)):
            name, batches = turns.popleft()
            if (yield from _turn(name, batches)) and not (name in FOR_EXACT_ROWS and is_noise_left()):
                turns.append((name, batches))
        if late and (num_rounds >= ROUNDS_BEFORE or not turns or not is_noise_left()):
            turns.extendleft(reversed(late.items()))
            late = {}
        if not turns:
            return
        yield PATHS, []


def _turn(name: str, batches: Iterator[list[Sketch]]) -> Generator[tuple[str, list[Sketch]], None, bool]:
    """What one says up to its next pause; returns whether it has more to say after it."""
    for sketches in batches:
        if isinstance(sketches, Pause):
            return True
        yield name, sketches
    return False
