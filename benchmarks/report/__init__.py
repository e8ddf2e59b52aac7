"""The report from result lines alone; measured rows stand apart from published ones. Equal lines, equal text."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from benchmarks.paper_rows import MAIN_TABLES
from benchmarks.report.ablations import ablation_sections
from benchmarks.report.calibration import calibration_sections
from benchmarks.report.causes import cause_sections, found_by_sections, missed_sections
from benchmarks.report.claims import claim_sections
from benchmarks.report.comparison import comparison_sections
from benchmarks.report.curves import curve_sections
from benchmarks.report.ground_truth import ground_truth_sections
from benchmarks.report.known import known_sections
from benchmarks.report.lines import our_lines, problems_by_seed
from benchmarks.report.listings import listing_sections
from benchmarks.report.measured import measured_sections
from benchmarks.report.published import main_sections
from benchmarks.report.section import Section
from benchmarks.report.shares import share_sections
from benchmarks.report.trajectories import trajectory_sections
from benchmarks.results_file import Result
from benchmarks.suites import SUITES

NOTES = """\
Rates are percentages of the problems of a suite; any failure counts as a miss. ± is the standard deviation over seeds.

- *strict*: the printed equation is the true law. Their canonical forms are equal, or, once constants that agree to 4
  significant digits are made equal, they have the same values at 150 digits on the sample, on the sample widened
  tenfold and far outside it. A wrong offset or factor counts as a miss, and both must depend on the same variables.
  We base claims only on this rate.
- *structure*: the verdict for noisy rows, which do not determine all digits of a law. The free constants of the printed
  equation (all but simple numbers) are refitted to rows without noise. It then agrees with the true law to 1e-6 on the
  sampled box widened tenfold, signs kept, and has no more constants. Small fractions do not count as constants.
- *Sym*: measured rows follow the SRBench protocol exactly; published rows show the published rate. The exact protocol
  can never accept some SRSD-Feynman laws, because their constants are tiny, and accepts wrong laws for others. The
  published rates exceed what it allows there, so they come from a slightly different verifier, and the two kinds of
  rows are only roughly comparable.
- *Acc*: test R2 > 0.999 on SRSD-Feynman, test NMSE < 1e-6 elsewhere, computed from the printed equation.
- *s*: mean seconds per problem, each on its own hardware; missing where the budget was a number of candidates,
  because the time then depends on the load of the machine.
- *attainable*: the share of problems whose rows distinguish the true law from every simpler law. The other problems
  still count as misses.
"""

# In the order of the report; each gives the sections for which there are lines.
PARTS = (
    main_sections,
    share_sections,
    comparison_sections,
    ablation_sections,
    trajectory_sections,
    curve_sections,
    ground_truth_sections,
    known_sections,
    measured_sections,
    calibration_sections,
    claim_sections,
    found_by_sections,
    cause_sections,
    listing_sections,
)


def make_sections(results: Iterable[Result], with_misses: bool = False) -> list[Section]:
    """All sections that the lines have something to say about."""
    ordered = sorted(results, key=lambda result: result.key)
    sections = [section for part in PARTS for section in part(ordered)]
    return [*sections, *(missed_sections(ordered) if with_misses else ()), _provenance(ordered)]


def to_markdown(sections: Sequence[Section], folder: str = "") -> str:
    """The whole report; folder: where its figures lie as seen from its file, empty to leave them out."""
    return "\n".join(["# Results\n\n" + NOTES, *(section.markdown(folder) for section in sections)])


def _provenance(results: Sequence[Result]) -> Section:
    commits = Counter(result.commit for result in results)
    machines = Counter(", ".join(f"{name} {value}" for name, value in result.machine.items()) for result in results)
    lines = [f"- commit {commit}: {count} lines" for commit, count in sorted(commits.items())]
    lines += [f"- {machine}: {count} lines" for machine, count in sorted(machines.items())]
    lines += _passes(our_lines(results))
    return Section(f"Source of the {len(results)} result lines", "\n".join(lines))


def _passes(own: Sequence[Result]) -> list[str]:
    """How long our search takes for all published problems with one seed."""
    published = {suite for table in MAIN_TABLES for suite in table.suites}
    seeds = problems_by_seed(result for result in own if result.suite in published)
    whole = [seed for seed, problems in seeds.items() if len(problems) == sum(map(_num_problems, published))]
    minutes = [sum(run.seconds for run in own if run.seed == seed and run.suite in published) / 60.0 for seed in whole]
    if not minutes:
        return []
    cores = own[0].machine.get("cores_per_run", 1)
    words = f"one pass over the {len(seeds[whole[0]])} published problems, without verification"
    return [f"- {words}: {statistics.fmean(minutes):.0f} minutes of search on {cores} core{'s' * (cores > 1)}"]


def _num_problems(suite: str) -> int:
    return len(SUITES[suite].problems)
