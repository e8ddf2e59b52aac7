"""Claims of exactness: how often a method says that nothing is left to explain, and how often that is false."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.report.lines import Entrant, by_entrant, commands_for, is_noisy_table, leading
from benchmarks.report.section import ABSENT, Section, markdown_table
from benchmarks.results_file import Result

MOST_NAMES = 10
WORDS = """\
A claim of exactness states that the equation matches every row to rounding. On noisy targets every claim is false: no
law explains the noise. On clean rows a claim is false if the equation is not the true law although the rows determine
it. If they do not, the problem is *unidentifiable* and the claim is right about the rows.
"""


def claim_sections(results: Sequence[Result]) -> list[Section]:
    """Claims by method, settings and suite, those on noisy targets first."""
    # The published rule of the presets is another one: any error below 1e-15.
    claiming = [result for result in results if result.claims_exact is not None and "preset" not in result.settings]
    noisy = [result for result in claiming if is_noisy(result)]
    clean = leading(claiming)
    rows = [
        _row(entrant, suite, [result for result in own if result.suite == suite])
        for group in (noisy, clean)
        for entrant, own in by_entrant(group).items()
        for suite in dict.fromkeys(result.suite for result in own)
    ]
    if not rows:
        return []
    rows += [_total(entrant, own) for entrant, own in by_entrant(clean).items()]
    header = ["Method", "Suite", "Runs", "Claims", "False claims", "of unidentifiable", "False on"]
    text = f"{WORDS}\n{markdown_table(header, rows, num_words=2)}"
    return [Section("Claims of exactness", text, commands_for(noisy))]


def _total(entrant: Entrant, results: Sequence[Result]) -> list[str]:
    """All suites of clean rows in one row, with the share of claims that are false where the rows could have told."""
    claims = [result for result in results if result.claims_exact and (result.strict or not result.unidentifiable)]
    num_false = sum(map(is_false_claim, claims))
    share = f"{num_false / len(claims):.1%} of {len(claims)} claims on attainable problems" if claims else ABSENT
    return [*_row(entrant, "all, clean", results)[:-1], share]


def _row(entrant: Entrant, suite: str, results: Sequence[Result]) -> list[str]:
    claims = [result for result in results if result.claims_exact]
    wrong = [result for result in claims if is_false_claim(result)]
    open_ones = [result for result in claims if result.unidentifiable and not result.strict]
    problems = list(dict.fromkeys(result.problem for result in wrong))
    more = f" and {len(problems) - MOST_NAMES} more" if len(problems) > MOST_NAMES else ""
    names = ", ".join(problems[:MOST_NAMES]) + more if problems else ABSENT
    counts = (len(results), len(claims), len(wrong), len(open_ones))
    return [entrant.label, suite, *map(str, counts), names]


def is_false_claim(result: Result) -> bool:
    """Whether a line claims more than its rows can show."""
    if not result.claims_exact:
        return False
    return is_noisy(result) or not (result.strict or result.unidentifiable)


def is_noisy(result: Result) -> bool:
    """Whether no law explains the rows of a line to their last digit."""
    return "noise" in result.settings or is_noisy_table(result)
