"""Proposers turn a table into sketches: `registry` lists them, `turns` asks them one after the other."""

from mosaic_sr.proposal.context import Coverage, Delve, Explore, ProposalContext, Solve
from mosaic_sr.proposal.enumeration import SUMS
from mosaic_sr.proposal.grammar import GrammarConfig
from mosaic_sr.proposal.prior import PriorConfig
from mosaic_sr.proposal.prior.decoding import DecodingConfig
from mosaic_sr.proposal.registry import FINDERS, PROPOSERS, QUICK, RECURSIVE, ProposalConfig, expanded
from mosaic_sr.proposal.turns import propose

__all__ = [
    "FINDERS",
    "PROPOSERS",
    "QUICK",
    "RECURSIVE",
    "SUMS",
    "Coverage",
    "DecodingConfig",
    "Delve",
    "Explore",
    "GrammarConfig",
    "PriorConfig",
    "ProposalConfig",
    "ProposalContext",
    "Solve",
    "expanded",
    "propose",
]
