"""Laws around a wave that is known: what stands beside it, its amplitude, and the function that is taken of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.expressions.expression import Expression, apply, constant, join
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.proposal.context import ProposalContext
from mosaic_sr.proposal.regression.projection import Background, make_background, make_offset_background, solve_scaled
from mosaic_sr.proposal.regression.sparse import Combination, System, eliminate_terms, select_forward, solve_support
from mosaic_sr.proposal.terms.atoms import Atom, make_small_atoms
from mosaic_sr.proposal.terms.dictionary import make_dictionary
from mosaic_sr.proposal.terms.writing import write_sum
from mosaic_sr.proposal.views.links import Linked, undo_links
from mosaic_sr.proposal.waves.phases import Piece, make_exponentials, make_one, multiply
from mosaic_sr.proposal.waves.wave import Wave, refine_waves
from mosaic_sr.table import Rows

Floats = NDArray[np.float64]

# A background may lose terms until the error is this many times what all of them leave.
SLACK = 2.0
# Rounding of a sum that cancels.
ROUNDING = 1e-11
# Of a link and an amplitude: the wave has to explain more than this of what the background leaves.
LEAST_EXPLAINED = 0.5
# Amplitudes and links that are fitted, and amplitudes without a link beyond these.
MOST_LINKED, MOST_PLAIN = 6, 2
# The wave times, and beside, small terms: sums of so many of so many.
SPARSE_TERMS, LONGEST_SPARSE, SPARSE_WORK = 500, 5, 3e6
# Columns of which small terms are made; of five there are some five hundred.
MOST_COLUMNS = 5
# Exponentials beside and around a wave begin with these rates over half the range, at the cost of a term each.
RATES, RATE_COST = (-4.0, -2.0, -1.0, -0.5, 0.5), 1.8
# Beside a wave of few periods, which bends as smooth terms do, so few terms; beside any, so many: more of them come
# close to every smooth function.
MOST_BESIDE_SLOW, MOST_BESIDE = 3, 5
# Sums that leave more than this share are approximations from which no fit gets further.
MOST_LEFT = 0.4
# Of the two parts of a product of waves, which are equal, the weaker to the stronger.
LEAST_BALANCE = 0.4
# Keeps the products of three directions regular where two are one; far below what a wave has to explain.
RIDGE = 1e-10
# A sinusoid with a phase this close to a quarter turn is written without it.
QUARTER = 1e-6


@dataclass(frozen=True, eq=False)
class Surroundings:
    """The rows, and the terms and amplitudes that waves may have there; columns: those that terms are made of."""

    context: ProposalContext
    rows: Rows
    terms: Sequence[Piece]
    amplitudes: Sequence[Piece]
    columns: Sequence[int]

    @property
    def _background(self) -> Background:
        """Of a number and the terms."""
        return make_offset_background(np.array([each.values for each in self.terms]).reshape(-1, self.rows.num_rows))

    def sum_law(self, chain: Sequence[Wave], terms: Sequence[Piece]) -> Expression | None:
        """The sum of the waves of a chain and of those terms that matter; None where too many do."""
        waves = np.concatenate([found.terms for found in chain])
        values = np.array([*(piece.values for piece in terms), *waves])
        return _written(_fewest(values, self.rows.target), terms, chain)

    def linked_laws(self, found: Wave) -> list[Expression]:
        """The wave under the amplitudes and behind the links that explain most, the best first."""
        background = self._background
        terms = self._under_amplitudes(background, found)
        targets = undo_links(self.rows.target, self.context.table.target_resolution, self.context.operators)
        trials = [
            (share, linked, index)
            for linked in targets
            for index, share in enumerate(_shares_left(terms, background, linked.target))
            if share < np.inf
        ]
        ranked = sorted(trials, key=lambda trial: trial[0])
        # Links that hardly bend stand in for none, which is the likeliest.
        plain = [trial for trial in ranked[MOST_LINKED:] if not trial[1].outer]
        best = [*ranked[:MOST_LINKED], *plain[:MOST_PLAIN]]
        laws = [self._linked_law(background, found, linked, self.amplitudes[index]) for _, linked, index in best]
        return [law for _, law in sorted(laws, key=lambda pair: pair[0]) if law is not None]

    def _under_amplitudes(self, background: Background, wave: Wave) -> Floats:
        """What the background leaves of each amplitude, alone and times sine and cosine: (amplitudes, 3, rows)."""
        amplitudes = np.array([piece.values for piece in self.amplitudes])
        bare = replace(wave, amplitude=make_one(self.rows.num_rows))
        own = np.concatenate([np.ones((1, self.rows.num_rows)), bare.terms])
        terms = background.without(amplitudes[:, None] * own)
        norms = np.sqrt(np.sum(np.square(terms), axis=2, keepdims=True))
        sizes = np.sqrt(np.sum(np.square(amplitudes), axis=1))[:, None, None]
        return np.where(norms > ROUNDING * sizes, terms / np.where(norms > 0, norms, 1.0), 0.0)

    def _linked_law(
        self, background: Background, found: Wave, linked: Linked, amplitude: Piece
    ) -> tuple[float, Expression | None]:
        """The law with its frequency refined behind the link, and the share of the target that it leaves."""
        beside = make_background(np.concatenate([background.directions.T, amplitude.values[None]]))
        sharp = refine_waves([replace(found, amplitude=amplitude)], beside, linked.target)[0]
        terms = [*self.terms, amplitude] if amplitude.expression.columns else list(self.terms)
        values = np.array([*(piece.values for piece in terms), *sharp.terms])
        combination = _fewest(values, linked.target)
        inner = _written(combination, terms, [sharp])
        return combination.error, None if inner is None else linked.law(inner)

    def sparse_laws(self, oscillation: Piece, is_slow: bool = False) -> Iterator[Expression]:
        """Short sums of small terms and of their products with the oscillation."""
        calm = [name for name in self.context.operators if name not in ("tan", "abs")]
        own = [Atom(oscillation.expression, 0.5), *_functions(oscillation.expression, calm)]
        columns = list(dict.fromkeys([*oscillation.expression.columns, *self.columns]))[:MOST_COLUMNS]
        atoms = [*make_small_atoms(columns, calm), *own, *(self._decays(columns) if "exp" in calm else [])]
        basis = make_dictionary(atoms, self.rows.columns, SPARSE_TERMS)
        places = [place for place, atom in enumerate(basis.atoms) if atom in own]
        waving = set(np.flatnonzero(np.isin(basis.terms, places).any(axis=1)).tolist())
        if not waving:
            return
        ones, before = np.ones(self.rows.num_rows), 1.0
        system = System(ones, basis.values, self.rows.target, ROUNDING)
        for combinations in select_forward(system, MOST_BESIDE_SLOW if is_slow else LONGEST_SPARSE, SPARSE_WORK):
            with_wave = [each for each in combinations[:8] if waving & set(each.support)]
            for each in with_wave[:2]:
                if each.error < min(MOST_LEFT, before):
                    found = solve_support(system, each.support)
                    yield write_sum(found.coefficients, [basis.factors(term) for term in found.support])
            before = min(before, combinations[0].error)
            if before <= system.tolerance:
                return

    def _decays(self, columns: Sequence[int]) -> list[Atom]:
        return [Atom(piece.expression, RATE_COST) for piece in make_exponentials(RATES, columns, self.rows.columns)]

    def oscillation(self, found: Wave) -> Piece:
        """The wave without its amplitude, its phase fitted."""
        bare = self._background.without(np.array([*found.terms, self.rows.target]))
        sine, cosine = solve_scaled(bare[:2].T, bare[2]).tolist()
        expression = write_sinusoid(replace(found, amplitude=make_one(self.rows.num_rows)), sine, cosine, 1.0)
        return Piece(expression, evaluate_expression(expression, self.rows.columns))

    def product(self, sum_wave: Wave, difference_wave: Wave, parts: Sequence[Piece]) -> Piece | None:
        """The product of sinusoids of two parts where sum and difference of their angles are as strong."""
        terms = np.concatenate([np.ones((1, self.rows.num_rows)), sum_wave.terms, difference_wave.terms])
        _, *solution = solve_scaled(terms.T, self.rows.target).tolist()
        one, other = complex(solution[1], solution[0]), complex(solution[3], solution[2])
        if min(abs(one), abs(other)) < LEAST_BALANCE * max(abs(one), abs(other)):
            return None
        # cos(a + b - s) + cos(a - b - d) = 2 cos(a - (s + d) / 2) cos(b - (s - d) / 2)
        shifts = [-0.5 * float(np.angle(one) + sign * np.angle(other)) for sign in (1.0, -1.0)]
        factors = [
            apply("cos", apply("add", multiply(frequency, piece.expression), constant(_wrapped(shift))))
            for frequency, piece, shift in zip(sum_wave.frequencies, parts, shifts, strict=True)
        ]
        expression = apply("mul", *factors)
        return Piece(expression, evaluate_expression(expression, self.rows.columns))

    def with_terms(self, oscillation: Piece, terms: Sequence[Piece]) -> Expression | None:
        """A multiple of the oscillation and those terms that matter."""
        every = [*terms, oscillation]
        return _written(_fewest(np.array([piece.values for piece in every]), self.rows.target), every, [])


def _shares_left(terms: Floats, background: Background, target: Floats) -> list[float]:
    """The share of a target that the wave leaves under each amplitude; infinite where it explains too little.

    terms: (amplitudes, 3, rows), of norm 1 or 0.
    """
    rest = background.without(target)
    size, spread = float(rest @ rest), float(np.sum(np.square(target - target.mean())))
    along = terms @ rest
    grams = terms @ terms.transpose(0, 2, 1) + RIDGE * np.eye(3)
    explained = np.sum(along * np.linalg.solve(grams, along[..., None])[..., 0], axis=1)
    left = np.maximum(size - explained, 0.0)
    shares = np.where(left < (1.0 - LEAST_EXPLAINED) * size, left / max(spread, 1e-300), np.inf)
    return [float(share) for share in shares]


def _functions(oscillation: Expression, operators: Sequence[str]) -> list[Atom]:
    """Functions of a wave that have its frequency, rising with it; their numbers are a start."""
    shifted = [apply("add", constant(1.5), multiply(sign, oscillation)) for sign in (1.0, -1.0)]
    written = [
        apply("exp", multiply(1.0, oscillation)), apply("tanh", multiply(1.5, oscillation)),
        apply("log", shifted[0]), apply("sqrt", shifted[0]), apply("inv", shifted[1]),
    ]  # fmt: skip
    return [
        Atom(each, RATE_COST)
        for name, each in zip(("exp", "tanh", "log", "sqrt", "inv"), written, strict=True)
        if name in operators
    ]


def _fewest(values: Floats, target: Floats) -> Combination:
    """The combination of fewest terms that leaves hardly more than all; values: (terms, rows)."""
    support = tuple(range(len(values)))
    ones = np.ones(len(target))
    everything = solve_support(System(ones, values.T, target, 0.0), support)
    system = System(ones, values.T, target, SLACK * everything.error + ROUNDING)
    return eliminate_terms(system, support) or everything


def _written(combination: Combination, terms: Sequence[Piece], chain: Sequence[Wave]) -> Expression | None:
    """The sum of terms and of the sines and cosines of a chain, which follow them; None for a wave known already."""
    numbers = np.zeros(len(terms) + 2 * len(chain))
    numbers[list(combination.support)] = combination.coefficients[1:]
    offset = float(combination.coefficients[0])
    waves = zip(chain, numbers[len(terms) :].reshape(-1, 2).tolist(), strict=True)
    parts = [write_sinusoid(found, sine, cosine) for found, (sine, cosine) in waves if sine or cosine]
    beside = [
        multiply(float(number), piece.expression) for number, piece in zip(numbers, terms, strict=False) if number
    ]
    if len(parts) < len(chain) or len(beside) > MOST_BESIDE + 1 or not parts + beside:
        return None
    return join("add", [*parts, *beside, *([constant(offset)] if offset else [])])


def write_sinusoid(found: Wave, sine: float, cosine: float, size: float | None = None) -> Expression:
    """Amplitude times sin(angle + p), as a plain sine or cosine where the phase is one; size: instead of its own."""
    angle, lacking = found.phase.write(found.frequencies)
    own = float(np.hypot(sine, cosine)) if size is None else size
    shift = _wrapped(float(np.arctan2(cosine, sine)) + lacking)
    quarters = float(np.rint(shift / (0.5 * np.pi)))
    if abs(shift - 0.5 * np.pi * quarters) <= QUARTER:
        own = -own if quarters in (2.0, -1.0, -2.0) else own
        value = apply("cos" if quarters % 2.0 else "sin", angle)
    else:
        value = apply("sin", apply("add", angle, constant(shift)))
    if found.amplitude.expression.columns:
        value = apply("mul", found.amplitude.expression, value)
    return value if own == 1.0 else multiply(own, value)


def _wrapped(angle: float) -> float:
    return float(np.remainder(angle + np.pi, 2.0 * np.pi) - np.pi)
