"""What a search has found, in sentences for a person: how probable the law is, its rivals, the noise, the columns."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mosaic_sr.equation import Equation
from mosaic_sr.evidence.noise import Scatter
from mosaic_sr.losses import SQUARED
from mosaic_sr.outcome import Outcome
from mosaic_sr.parting import Parting
from mosaic_sr.report import constants_text, describe_closeness

# Bounds of the words for a probability.
CERTAIN, PROBABLE, LEAST_TOLD = 0.95, 0.7, 0.3
# A rival is comparable when the law is at most so many times as probable.
COMPARABLE = 5.0
# Columns whose probability is beyond these need no word.
SURELY_READ, SURELY_NOT = 0.99, 0.01
MOST_NAMES = 8
# Constants of a rival are listed where they fit on its line.
MOST_LISTED = 3
# Of the numbers of a rival: enough to see its form, its constants stand beside it.
RIVAL_DIGITS = 5
# Below this share of the scatter, hundreds of rows would be needed to see a difference.
LEAST_RATIO = 0.2
# The absolute part of a proportional noise is stated where it matters for values of this share of the target's range.
LEAST_ABSOLUTE = 0.02


def verdict(outcome: Outcome) -> str:
    """How sure the law is."""
    law = outcome.law
    if outcome.loss != SQUARED:
        return own_loss_words(outcome)
    if outcome.scatter is None:
        return describe_closeness(law)
    if not law.expression.columns:
        return "no law above the noise"
    if law.probability is None:
        return "not weighed against other laws"
    given = " given the template" if outcome.parts else ""
    return f"{_certainty(outcome, law.probability)} (probability {chance(law.probability)}{given})"


def own_loss_words(outcome: Outcome) -> str:
    """How the law was chosen under an own loss, and why no probability is stated."""
    own = outcome.law.training.own
    size = "" if own is None else f", {own:.4g} per row"
    return (
        f"chosen by the loss {outcome.loss}{size}, and by complexity; no probability is stated, because a loss does "
        "not say how the rows scatter"
    )


def _certainty(outcome: Outcome, probability: float) -> str:
    count = 1 + len(comparable(outcome))
    if probability >= CERTAIN:
        return "certain"
    if probability >= PROBABLE:
        return "probable"
    if count > 1 and probability < LEAST_TOLD:
        return f"noise too high to tell: one of {count} or more laws that explain the rows about equally well"
    if count > 1:
        return f"one of {count} laws that explain the rows about equally well"
    return "uncertain: laws that were not tried may explain the rows as well"


def comparable(outcome: Outcome) -> list[Equation]:
    """The rivals that are nearly as probable as the law."""
    law, rivals = outcome.law, outcome.law.ties if outcome.scatter is not None else ()
    least = (law.probability or 0.0) / COMPARABLE
    return [rival for rival in rivals if rival.probability is not None and rival.probability >= least]


def rival_lines(outcome: Outcome) -> list[str]:
    """One line per rival: its probability, its formula, and its constants where these are few."""
    lines = []
    for rival in outcome.law.ties if outcome.scatter is not None else ():
        share = "" if rival.probability is None else f" (probability {chance(rival.probability)})"
        constants = constants_text(rival)
        listed = f", with {constants}" if constants and constants.count("±") <= MOST_LISTED else ""
        lines.append(f"rival{share}: {outcome.target} = {rival.text(precision=RIVAL_DIGITS)}{listed}")
    return lines


def noise_words(outcome: Outcome) -> str:
    """How large the noise is; empty where it is not known."""
    return "" if outcome.scatter is None else scatter_words(outcome.scatter, outcome.target_range)


def scatter_words(scatter: Scatter, target_range: float) -> str:
    """How large the noise is; target_range: largest minus smallest target, 0 where it is not known."""
    if scatter.counts > 0.0:
        size = "that of counts of independent events (Poisson): the root of each value"
        size += f", and {percent(scatter.relative)} of the value (overdispersed)" if scatter.relative > 0.0 else ""
    elif scatter.relative > 0.0:
        size = f"about {percent(scatter.relative)} of each value"
        if scatter.absolute > LEAST_ABSOLUTE * scatter.relative * target_range:
            size += f", at least {scatter.absolute:.2g}"
    else:
        size = f"scatter {scatter.absolute:.2g}{_of_range(scatter.absolute, target_range)}"
    count = scatter.num_outliers
    return size + (f", {count:,} outlier{'s' if count > 1 else ''}" if count else "")


def _of_range(absolute: float, target_range: float) -> str:
    if not 0.0 < target_range < math.inf:
        return ""
    return f" ({percent(absolute / target_range)} of the target's range)"


def chi2_words(outcome: Outcome) -> str:
    """Whether the stated errors explain the scatter; empty where none are stated."""
    return "" if outcome.chi2 is None else outcome.chi2.sentence()


def column_words(outcome: Outcome) -> str:
    """Which columns do not matter, and which may or may not; empty where all are in the law for sure."""
    pairs = list(zip(outcome.names, outcome.column_probabilities, strict=False))
    unsure = [f"{name} may matter (probability {chance(share)})" for name, share in pairs if _is_unsure(share)]
    out = [name for name, share in pairs if share < SURELY_NOT]
    unread = [f"{_listed(out)} {'do' if len(out) > 1 else 'does'} not matter"] if out else []
    return "; ".join([*([_listed(unsure)] if unsure else []), *unread])


def _is_unsure(share: float) -> bool:
    return SURELY_NOT <= share <= SURELY_READ


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more:,} others" if more > 0 else "")


def parting_words(outcome: Outcome) -> str:
    """Where more rows would decide between the law and its closest rival; empty where the law is certain."""
    parting, probability = outcome.parting, outcome.law.probability
    if parting is None or (probability is not None and probability >= CERTAIN) or not outcome.law.ties:
        return ""
    if parting.ratio < LEAST_RATIO:
        return "near these rows, law and closest rival differ by much less than the scatter; only less noise would help"
    name = outcome.names[parting.column]
    return (
        f"more rows {_where(parting, name)} would tell law and closest rival apart: "
        f"at {name} = {parting.value:.3g} they differ by {_times(parting.ratio)} the scatter"
    )


def _where(parting: Parting, name: str) -> str:
    if parting.value > parting.high:
        return f"above {name} = {parting.high:.3g}"
    if parting.value < parting.low:
        return f"below {name} = {parting.low:.3g}"
    return f"near {name} = {parting.value:.3g}"


def _times(ratio: float) -> str:
    return "more than 1,000 times" if ratio > 1000.0 else f"{ratio:.2g} times"


def coverage_words(outcome: Outcome) -> str:
    """How far the enumeration of forms came; empty where there was none."""
    if outcome.scatter is None or not outcome.num_forms:
        return ""
    forms = f"{outcome.num_forms:,} forms of up to {outcome.covered_bits:.0f} bits"
    if not outcome.listed_over:
        return f"all {forms} were tried"
    # Forms over the columns may be among them, and each list goes as far as its own bits.
    return f"{forms} were tried, first those over {_listed(outcome.listed_over)}, which the rows ask for"


def stability_words(outcome: Outcome) -> str:
    """How often the structure of the law returned; empty where no bootstrap samples were searched."""
    if outcome.stability is None:
        return ""
    count = outcome.stability_samples
    found = f"{round(outcome.stability * count):,} of {count:,} bootstrap sample{'s' if count > 1 else ''}"
    return f"the same structure was found in {found}"


def summary(outcome: Outcome) -> str:
    """What was found, in a few words."""
    law, scatter = outcome.law, outcome.scatter
    if scatter is None:
        early = ", stopped early" if outcome.stopped_early and not law.is_exact else ""
        return describe_closeness(law) + early
    size = f"scatter {percent(scatter.relative) if scatter.relative > 0.0 else f'{scatter.absolute:.2g}'}"
    size = "scatter of counts" if scatter.counts > 0.0 else size
    if not outcome.is_decided:
        return f"{size}, {'stopped early' if outcome.stopped_early else 'not decided'}"
    return f"{size}, nothing left to explain" if law.expression.columns else f"{size}, no column explains it"


def percent(share: float) -> str:
    """A share in percent, to two digits."""
    number = 100.0 * share
    return f"{number:,.0f} %" if number >= 10.0 else f"{number:.2g} %"


def chance(probability: float) -> str:
    """A probability as people write it: never 0 or 1."""
    if probability > 0.995:
        return "> 0.99"
    return "< 0.01" if probability < 0.005 else f"{probability:.2f}"
