"""The synthetic corpus: equations, their token sequences and point sets, made block by block from a seed.

A block depends on its seed and index alone, so training resumes exactly by remembering how many blocks it has used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.canonical import canonical
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.generator import GeneratorConfig, generate
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.pretraining.decontamination import is_benchmark_skeleton
from mosaic_sr.pretraining.inputs import draw_columns
from mosaic_sr.proposal.prior.encoding import EncodingName, encode
from mosaic_sr.proposal.prior.sketch_language import full_tokens, literal_tokens, scale_free_tokens
from mosaic_sr.proposal.prior.vocabulary import MAX_VARIABLES, Tokens, token_ids

Floats = NDArray[np.float64]
SketchForm = Literal["scale-free", "literal"]


@dataclass(frozen=True)
class CorpusConfig:
    """What the corpus holds.

    variable_weights: share of equations with 1..10 variables before simplification.
    num_points: sizes of the point sets; one size per block, so that no padding is needed.
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


@dataclass(frozen=True)
class CorpusLaw:
    """One law of the corpus over columns 0, 1, ... with its two token sequences."""

    expression: Expression
    full: Tokens
    sketch: Tokens

    @property
    def num_variables(self) -> int:
        return len(self.expression.columns)


@dataclass(frozen=True)
class PointSet:
    """points: (rows, inputs) as the encoder reads them; matters: (10,) whether each fed column is in the law."""

    points: NDArray[np.float32]
    matters: NDArray[np.float32]


@dataclass(frozen=True)
class Block:
    """Samples of one block, in training order.

    points: (samples, rows, inputs); full: (samples, tokens); sketch: (samples, tokens); matters: (samples, 10).
    """

    points: NDArray[np.float32]
    full: NDArray[np.int64]
    sketch: NDArray[np.int64]
    matters: NDArray[np.float32]


def block_rng(seed: int, index: int) -> np.random.Generator:
    """The generator of one block."""
    return np.random.default_rng(np.random.SeedSequence([seed, index]))


def draw_law(rng: np.random.Generator, config: CorpusConfig) -> CorpusLaw:
    """A random law in canonical form that is no benchmark's."""
    while True:
        equation = _tokenised(canonical(generate(rng, _generator_config(rng, config))), config)
        if equation is None or (len(equation.sketch) <= 3 and rng.random() < config.short_rejection):
            continue
        if not is_benchmark_skeleton(equation.expression):
            return equation


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


def draw_point_set(
    equation: CorpusLaw, num_points: int, rng: np.random.Generator, config: CorpusConfig
) -> PointSet | None:
    """The law observed somewhere, or None where no draw gives usable values."""
    num_dummies = int(rng.integers(1, 4)) if rng.random() < config.dummy_share else 0
    num_columns = min(equation.num_variables + num_dummies, MAX_VARIABLES)
    for attempt in range(6):
        columns = draw_columns(rng, num_columns, num_points, positive=attempt >= 3)
        with np.errstate(all="ignore"):
            target = evaluate_expression(equation.expression, columns)
            usable = is_informative(equation.expression, columns, target)
        if usable:
            return _encoded(equation, columns, target, rng, config)
    return None


def _encoded(
    equation: CorpusLaw, columns: Floats, target: Floats, rng: np.random.Generator, config: CorpusConfig
) -> PointSet:
    order = rng.permutation(len(columns))
    encoded = encode(columns[order], target, config.encoding, rng)
    fed = order[list(encoded.columns)]
    matters = np.zeros(MAX_VARIABLES, dtype=np.float32)
    matters[: len(fed)] = fed < equation.num_variables
    return PointSet(encoded.points, matters)


def is_informative(expression: Expression, columns: Floats, target: Floats) -> bool:
    """Whether the values are finite, vary, span a sane range, and change with every column of the law."""
    if not np.isfinite(target).all():
        return False
    magnitude = np.abs(target)
    spread = float(target.std())
    if magnitude.max() > 1e12 or spread <= 1e-4 * magnitude.max() or magnitude.max() > 1e7 * np.median(magnitude):
        return False
    for column in expression.columns:
        shuffled = columns.copy()
        shuffled[column] = np.roll(columns[column], 1)
        changed = evaluate_expression(expression, shuffled)
        if np.isfinite(changed).all() and float(np.abs(changed - target).max()) < 1e-2 * spread:
            return False
    return True


def draw_samples(
    rng: np.random.Generator, config: CorpusConfig, num_points: int, num_sets: int
) -> tuple[CorpusLaw, list[PointSet]]:
    """A law together with `num_sets` point sets; laws without usable points are redrawn."""
    while True:
        equation = draw_law(rng, config)
        point_sets: list[PointSet] = []
        while len(point_sets) < num_sets:
            point_set = draw_point_set(equation, num_points, rng, config)
            if point_set is None:
                break
            point_sets.append(point_set)
        if len(point_sets) == num_sets:
            return equation, point_sets


def make_block(config: CorpusConfig, seed: int, index: int) -> Block:
    """The block with this index: each pass over its equations shows another point set of each."""
    rng = block_rng(seed, index)
    num_points = int(rng.choice(config.num_points))
    samples = [
        draw_samples(rng, config, num_points, config.sets_per_equation) for _ in range(config.equations_per_block)
    ]
    # Neighbours in length share a batch, so that short sketches are not padded to the longest.
    samples.sort(key=lambda sample: len(sample[0].sketch))
    passes = range(config.sets_per_equation)
    return Block(
        points=np.stack([sets[number].points for number in passes for _, sets in samples]),
        full=np.stack([token_ids(law.full, config.max_full_tokens + 2) for _ in passes for law, _ in samples]),
        sketch=np.stack([token_ids(law.sketch, config.max_sketch_tokens + 2) for _ in passes for law, _ in samples]),
        matters=np.stack([sets[number].matters for number in passes for _, sets in samples]),
    )


def batches(block: Block, batch_size: int, rng: np.random.Generator) -> Iterator[Block]:
    """The block cut into batches of similar length, in random order."""
    starts = np.arange(0, len(block.sketch) - batch_size + 1, batch_size)
    for start in rng.permutation(starts):
        part = slice(start, start + batch_size)
        yield Block(block.points[part], block.full[part], block.sketch[part], block.matters[part])
