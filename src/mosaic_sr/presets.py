"""`SearchConfig` gathers the settings of all stages; a preset is a named choice of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mosaic_sr.assignment import AssignmentConfig
from mosaic_sr.errors import InvalidSettings
from mosaic_sr.fitting import QuickConfig
from mosaic_sr.proposal import PROPOSERS, DecodingConfig, GrammarConfig, PriorConfig, ProposalConfig
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.selection import SelectionConfig
from mosaic_sr.template_form import TemplateConfig


@dataclass(frozen=True)
class SearchConfig:
    """The settings of every stage.

    search_rows: rows on which stages fit candidates; the best of each size are polished and measured on more rows.
    noisy_search_rows: the same where the rows look noisy: what tells two laws apart grows with the number of rows.
    search_columns: largest number of columns that the search reads, the most relevant ones.
    max_evaluations: the search ends after the round that reaches this number of candidates; math.inf for no limit.
    stops_when_exact: whether the search ends as soon as a law is exact.
    traces_paths: whether to record every path after each round.
    template: the form of the law, where the user knows it except for some functions.
    """

    proposal: ProposalConfig = field(default_factory=ProposalConfig)
    assignment: AssignmentConfig = field(default_factory=AssignmentConfig)
    refinement: RefinementConfig = field(default_factory=RefinementConfig)
    selection: SelectionConfig = field(default_factory=SelectionConfig)
    search_rows: int = 200  # the cost of a fit grows with every row, the ranking of candidates hardly changes
    noisy_search_rows: int = 500  # with 200, laws of 10 % noise that 1,000 rows tell apart by 20 nats differ by 4
    search_columns: int = 200  # memory grows with the square of their number: half a gigabyte at 200
    max_evaluations: float = 3_000_000  # half a minute of search paths on one core
    stops_when_exact: bool = True  # what is exact needs no rival, and most laws are found in the first second
    template: TemplateConfig | None = None
    traces_paths: bool = False  # a law for every path and round takes longer to write than the default search has

    def __post_init__(self) -> None:
        if self.max_evaluations < 1:
            raise InvalidSettings(f"max_evaluations must be at least 1, got {self.max_evaluations}")


def paper_preset() -> SearchConfig:
    """The published settings of the cross-benchmark experiments; what is not published is said to be so.

    Proposers beyond the paper are off. Where no weights are installed the grammar sampler stands in for the prior.
    """
    prior = _published_prior(num_sketches=24, passes=6)
    return SearchConfig(
        proposal=replace(
            _only("grammar" if prior.is_silent else "prior"), prior=prior, grammar=GrammarConfig(num_sketches=24)
        ),
        assignment=AssignmentConfig(
            max_assignments=0,  # no enumeration: holes are bound greedily or by tree search
            expansions=1_500,
            trigger_nmse=1e-4,
            fits_per_yield=100,  # with so many starts a fit takes milliseconds
            fit=QuickConfig(starts=16),
        ),
        refinement=_strict_climb(),
        selection=SelectionConfig("paper"),
        stops_when_exact=False,  # all paths try all their candidates
    )


def paper_srsd_preset() -> SearchConfig:
    """The published settings of the SRSD experiments: 48 sketches from 3 passes, the best 24 equations refined."""
    paper = paper_preset()
    prior = _published_prior(num_sketches=48, passes=3)
    return replace(paper, proposal=replace(paper.proposal, prior=prior))


def paper_budget_preset() -> SearchConfig:
    """One long run that is read at smaller budgets: 48 paths of 500 candidates, looked at after every hundred."""
    srsd = paper_srsd_preset()
    path = replace(srsd.refinement.path, trials_per_round=100)
    return replace(
        srsd,
        proposal=replace(srsd.proposal, grammar=GrammarConfig(num_sketches=48)),
        refinement=replace(srsd.refinement, num_paths=48, num_rounds=5, path=path),
        traces_paths=True,
    )


def paper_mcts_preset() -> SearchConfig:
    """The ablation without refinement."""
    paper = paper_preset()
    return replace(paper, refinement=replace(paper.refinement, num_rounds=0))


def paper_decoder_preset() -> SearchConfig:
    """The ablation with neither refinement nor tree search: sketches as decoded, bound greedily."""
    return replace(paper_mcts_preset(), assignment=replace(paper_preset().assignment, search="greedy"))


def paper_grammar_preset() -> SearchConfig:
    """The control of the ablation: as many sketches as the decoder's, drawn without reading the table."""
    grammar = GrammarConfig(num_sketches=24, max_operators=12)
    return replace(paper_decoder_preset(), proposal=replace(_only("grammar"), grammar=grammar))


def _only(proposer: str) -> ProposalConfig:
    """One proposer beside the user's guesses."""
    return ProposalConfig(without=tuple(name for name in PROPOSERS if name not in ("guesses", proposer)))


def _published_prior(num_sketches: int, passes: int) -> PriorConfig:
    """All sketches at once, and nothing later."""
    decoding = _nucleus_passes(num_sketches, passes)
    return PriorConfig(decoding=decoding, sketches_per_turn=num_sketches, edit_turns=0)


def _nucleus_passes(num_sketches: int, passes: int) -> DecodingConfig:
    """All passes are made, alike, and the most probable sketches kept.

    Not published: the nucleus, here the customary 0.95, the temperature, and the draws, here enough for 48 distinct
    sketches from 3 passes. The cap on operators is the remedy that the paper draws from its own analysis.
    """
    return DecodingConfig(
        num_sketches, draws_per_pass=48, max_passes=passes, least_passes=passes, nucleus=0.95, temperature=1.0,
        heating=0.0, max_operators=12,
    )  # fmt: skip


def _strict_climb() -> RefinementConfig:
    """24 independent paths of 300 candidates: a candidate replaces the present one only if its error is lower.

    Not published: after how many edits constants are refitted; here a candidate has one to three and then a refit.
    """
    default = RefinementConfig()
    path = replace(
        default.path,
        trials_per_round=30,
        maxsize=32,
        temperature=0.0,
        parsimony=0.0,
        starts=16,
        lenience=math.inf,  # every candidate is fitted
        work_per_round=math.inf,
        is_scaled=False,  # the published edits see whole trees
    )
    return replace(
        default, num_paths=24, num_rounds=10, restart_every=1000, ranks_by_nmse=True, repeats_starts=True,
        shares_pool=False, path=path,
    )  # fmt: skip


PRESETS: dict[str, Callable[[], SearchConfig]] = {
    "default": SearchConfig,
    "paper": paper_preset,
    "paper-srsd": paper_srsd_preset,
    "paper-budget": paper_budget_preset,
    "paper-mcts": paper_mcts_preset,
    "paper-decoder": paper_decoder_preset,
    "paper-grammar": paper_grammar_preset,
}
