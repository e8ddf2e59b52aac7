"""From a user's groups to the `Outcome` of their common law: what is refused, the clock, the search, its end."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence

from mosaic_sr.budget import Budget, start_clock
from mosaic_sr.errors import InvalidSettings, MosaicWarning
from mosaic_sr.grouped.outcome import grouped_outcome
from mosaic_sr.grouped.problem import GroupedProblem
from mosaic_sr.grouped.search import GroupedSearch
from mosaic_sr.grouped.wishes import read_wishes
from mosaic_sr.kernel.jit import time_without_compiling
from mosaic_sr.old_names import notes_on_old_finders
from mosaic_sr.outcome import Outcome
from mosaic_sr.progress import live_progress, silent
from mosaic_sr.settings import SearchOptions, refuse_taken_names

Guesses = Sequence[str] | str | None
# What a search over groups cannot do, and the word for it in messages.
WITHOUT_GROUPS = {
    "validation": "validation rows of your own",
    "output_directory": "an output folder and resuming",
    "warm_start": "warm_start",
    "report": "a report",
}
# Options that a search over groups does not know.
OPTIONS_WITHOUT_GROUPS = (
    "stability",
    "intervals",
    "constraints",
    "must_use",
    "complexity_of_operators",
    "complexity_of_constants",
    "complexity_of_variables",
    "nested_constraints",
    "maxdepth",
    "loss",
    "dimensionless_constants_only",
    "template",
)


def refuse_with_groups(options: SearchOptions, has_groups: bool, **asked: bool) -> None:
    """Refuse what does not go together with groups; asked: which parts of WITHOUT_GROUPS the user asks for."""
    if not has_groups:
        raise InvalidSettings("per_group needs groups: pass groups to fit, or --groups COLUMN on the command line")
    refuse_beside_groups({WITHOUT_GROUPS[name]: is_asked for name, is_asked in asked.items()})
    usual = SearchOptions()
    refuse_beside_groups({name: getattr(options, name) != getattr(usual, name) for name in OPTIONS_WITHOUT_GROUPS})
    if options.config().selection.model_selection != "best":
        raise InvalidSettings("with groups the law is chosen by its probability; leave out model_selection and preset")


def refuse_beside_groups(asked: Mapping[str, object]) -> None:
    """Refuse what does not go together with groups; asked: what the user says by its name, None or False if nothing."""
    for name, value in asked.items():
        if value is not None and value is not False:
            raise InvalidSettings(f"{name} cannot be combined with groups; leave one of them out")


def find_grouped_law(
    read: Callable[[], GroupedProblem],
    options: SearchOptions,
    wishes: tuple[Guesses, Guesses],
    seeds: tuple[int, ...],
    n_jobs: int,
    shows_progress: bool,
) -> Outcome:
    """The common law of all groups; wishes: the user's guesses, and the names of constants that vary.

    The clock starts before the table is read.
    """
    config = options.config()
    clock = start_clock(Budget(config.max_evaluations, options.time_limit), time_without_compiling)
    problem = read()
    refuse_taken_names(config, problem.names)
    own = read_wishes(*wishes, problem.names, problem.target, config.proposal.operators)
    search = GroupedSearch(problem, options, own, seeds, clock)
    search.course.notes += (*own.notes, *notes_on_old_finders(options.without))
    search.run(n_jobs, (lambda text: live_progress(clock, text)) if shows_progress else (lambda text: silent()))
    if search.course.stopped_by and not search.closeness and not search.course.is_decided:
        warnings.warn("the search was stopped early; the law is the best so far", MosaicWarning, stacklevel=4)
    return grouped_outcome(search, clock)
