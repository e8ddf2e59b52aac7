"""Laws of the corpus: random ones and those of families, none of them a benchmark's, with their token sequences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.pretraining.decontamination import is_benchmark_skeleton
from mosaic_sr.pretraining.families import Family, Span, read_families, shipped_families
from mosaic_sr.pretraining.measurement import MeasurementConfig
from mosaic_sr.proposal.prior.encoding import EncodingName
from mosaic_sr.proposal.prior.sketch_language import full_tokens, literal_tokens, scale_free_tokens
from mosaic_sr.proposal.prior.vocabulary import Tokens

SketchForm = Literal["scale-free", "literal"]


@dataclass(frozen=True)
class CorpusConfig:
    """What the corpus holds.

    variable_weights: share of equations with 1..10 variables before simplification.
    num_points: sizes of the point sets; one size per block, so that no padding is needed.
    family_share: laws drawn from families rather than at random.  families: a file of them; those that ship if None.
    measured: how tables are measured; exactly if None.  has_mistakes: whether samples also show a law with mistakes.
    """

    sketch_form: SketchForm = "scale-free"
    encoding: EncodingName = "scaled"
    variable_weights: tuple[float, ...] = (0.2, 0.24, 0.2, 0.13, 0.08, 0.05, 0.04, 0.03, 0.02, 0.01)
    max_extra_operators: int = 7  # operators beyond those that join the variables
    short_rejection: float = 0.6  # sketches of one operator are few and soon learned, so most are dropped
    dummy_share: float = 0.2  # data sets with one to three columns that do not matter
    max_sketch_tokens: int = 30
    max_full_tokens: int = 62
    num_points: tuple[int, ...] = (24, 64, 100, 128, 200)
    equations_per_block: int = 512
    sets_per_equation: int = 2
    family_share: float = 0.0
    families: Path | None = None
    measured: MeasurementConfig | None = None
    has_mistakes: bool = False


@dataclass(frozen=True)
class CorpusLaw:
    """One law of the corpus over columns 0, 1, ... with its two token sequences.

    spans: where each column lies, as far as its family says so.
    """

    expression: Expression
    full: Tokens
    sketch: Tokens
    spans: tuple[Span | None, ...] = ()

    @property
    def num_variables(self) -> int:
        return len(self.expression.columns)


def draw_law(rng: np.random.Generator, config: CorpusConfig) -> CorpusLaw:
    """A random law in canonical form that is no benchmark's."""
    while True:
        if config.family_share and rng.random() < config.family_share:
            equation = _draw_of_family(rng, config)
        else:
            equation = _tokenised(canonical(generate(rng, _generator_config(rng, config))), config)
        if equation is None or (len(equation.sketch) <= 3 and rng.random() < config.short_rejection):
            continue
        if not is_benchmark_skeleton(equation.expression):
            return equation


def families_of(config: CorpusConfig) -> tuple[Family, ...]:
    """The families that the corpus draws from."""
    return shipped_families() if config.families is None else read_families(config.families)


def _draw_of_family(rng: np.random.Generator, config: CorpusConfig) -> CorpusLaw | None:
    families = families_of(config)
    family = families[int(rng.integers(len(families)))]
    with np.errstate(all="ignore"):
        expression = canonical(family.draw(rng))
    law = _tokenised(expression, config) if np.isfinite(expression.constants).all() else None
    # Columns that drop out in the canonical form leave a gap.
    return law and replace(law, spans=tuple(family.columns[column] for column in expression.columns))


def _generator_config(rng: np.random.Generator, config: CorpusConfig) -> GeneratorConfig:
    weights = np.array(config.variable_weights)
    num_variables = 1 + int(rng.choice(len(weights), p=weights / weights.sum()))
    joining = max(1, num_variables - 1)
    # The exponent leans towards short laws, which are most of physics.
    operators = joining + int(rng.random() ** 1.3 * (config.max_extra_operators + 1))
    return GeneratorConfig(num_variables=num_variables, min_operators=operators, max_operators=operators)


def _tokenised(expression: Expression, config: CorpusConfig) -> CorpusLaw | None:
    """The law with its columns renumbered and its tokens, or None where it is constant or too long."""
    columns = expression.columns
    if not columns:
        return None
    ranks = np.zeros(columns[-1] + 1, dtype=np.int64)
    ranks[list(columns)] = np.arange(len(columns))
    expression = expression.renamed(ranks.tolist())
    to_sketch = scale_free_tokens if config.sketch_form == "scale-free" else literal_tokens
    sketch, full = to_sketch(expression), full_tokens(expression)
    if len(sketch) > config.max_sketch_tokens or len(full) > config.max_full_tokens:
        return None
    return CorpusLaw(expression, full, sketch)
