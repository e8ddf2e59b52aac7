"""Random expressions; the training corpus, the grammar sampler, the benchmarks and the tests share them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.expressions.rows import CALLED, STRAIGHT_FUNCTIONS
from mosaic_sr.operators import ARITY, CODES, CONSTANT, OPERATORS, VARIABLE

OPERATOR_WEIGHTS: Mapping[str, float] = MappingProxyType({operator.name: operator.weight for operator in OPERATORS})
# One of these inside another of these is rare in laws: sin(exp(tanh(x))) is nobody's formula.
CURVED = frozenset(CODES[name] for name, called in CALLED.items() if not called <= STRAIGHT_FUNCTIONS)


@dataclass(frozen=True)
class GeneratorConfig:
    """What random expressions look like.

    unary_share: probability that an inner node is unary.
    constant_share: probability that a leaf is a constant rather than a variable.
    max_curved: how many curved functions (exp, sin, ...) may stand inside each other.
    """

    num_variables: int = 3
    min_operators: int = 1
    max_operators: int = 8
    weights: Mapping[str, float] = field(default_factory=lambda: OPERATOR_WEIGHTS)
    # The shares are roughly those of textbook formulas, as the weights are; three curved functions are nobody's.
    unary_share: float = 0.35
    constant_share: float = 0.2
    max_curved: int = 2

    @cached_property
    def by_arity(self) -> tuple[tuple[list[int], np.ndarray], tuple[list[int], np.ndarray]]:
        """Operator codes and cumulative weights, unary first."""
        return self._cumulative(1), self._cumulative(2)

    def _cumulative(self, arity: int) -> tuple[list[int], np.ndarray]:
        codes = [CODES[name] for name, weight in self.weights.items() if weight > 0 and ARITY[CODES[name]] == arity]
        names = {code: name for name, code in CODES.items()}
        weights = np.cumsum([self.weights[names[code]] for code in codes])
        return codes, weights / weights[-1] if len(codes) else weights


def generate(rng: np.random.Generator, config: GeneratorConfig) -> Expression:
    """A random expression that reads at least one variable."""
    while True:
        num_operators = int(rng.integers(config.min_operators, config.max_operators + 1))
        codes = _random_tree(rng, config, num_operators)
        expression = _with_leaves(rng, config, codes)
        if expression.columns:
            return expression


def random_constant(rng: np.random.Generator) -> float:
    """A number as it occurs in laws: small integers and simple fractions, else spread over decades, either sign."""
    kind = rng.random()
    if kind < 0.35:
        value = float(rng.integers(1, 11))
    elif kind < 0.5:
        value = float(rng.integers(1, 10)) / float(rng.integers(2, 10))
    elif kind < 0.8:
        value = round(float(rng.uniform(0.1, 10.0)), int(rng.integers(1, 4)))
    else:
        value = float(f"{10.0 ** rng.uniform(-3.0, 3.0):.3g}")
    return value if rng.random() < 0.7 else -value


def _random_tree(rng: np.random.Generator, config: GeneratorConfig, num_operators: int) -> list[int]:
    """Postfix codes of a random tree; leaves are VARIABLE throughout."""
    reversed_codes: list[int] = []
    # Prefix order with the right child first, read backwards, is postfix.
    pending = [(num_operators, 0)]
    while pending:
        operators, curved = pending.pop()
        if operators == 0:
            reversed_codes.append(VARIABLE)
            continue
        code = _random_operator(rng, config, curved)
        reversed_codes.append(code)
        inside = curved + (code in CURVED)
        if ARITY[code] == 1:
            pending.append((operators - 1, inside))
        else:
            left = int(rng.integers(0, operators))
            pending.append((left, inside))
            pending.append((operators - 1 - left, inside))
    return reversed_codes[::-1]


def _random_operator(rng: np.random.Generator, config: GeneratorConfig, curved: int) -> int:
    unary, binary = config.by_arity
    while True:
        is_unary = bool(unary[0]) and (not binary[0] or rng.random() < config.unary_share)
        codes, cumulative = unary if is_unary else binary
        code = codes[min(int(np.searchsorted(cumulative, rng.random(), side="right")), len(codes) - 1)]
        if code not in CURVED or curved < config.max_curved:
            return code


def _with_leaves(rng: np.random.Generator, config: GeneratorConfig, codes: list[int]) -> Expression:
    """Decide for each leaf whether it reads a column or holds a number; every column is tried once before repeats."""
    slots = [0] * len(codes)
    constants: list[float] = []
    fresh = list(rng.permutation(config.num_variables))
    for index, code in enumerate(codes):
        if code != VARIABLE:
            continue
        if rng.random() < config.constant_share:
            codes[index] = CONSTANT
            constants.append(random_constant(rng))
        else:
            slots[index] = int(fresh.pop()) if fresh else int(rng.integers(config.num_variables))
    return make_expression(codes, slots, constants)
