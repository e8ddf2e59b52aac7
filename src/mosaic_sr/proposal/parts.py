"""Parts: where a target separates into unknown functions of fewer columns, each is searched, and the laws put together.

The values of an unknown function at the rows are a smaller table, exact on a grid and nearly so where the function is
smooth. Its few likeliest laws are put together with those of the others and refitted on the original rows; only there
is anything claimed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, islice, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import UNKNOWN, Equation, in_user_units, substituted
from mosaic_sr.expressions.expression import Expression, apply, constant, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.operators import CODES, CONSTANT
from mosaic_sr.proposal.peeled import Number, Peeled, Step
from mosaic_sr.proposal.question import Question
from mosaic_sr.proposal.separation import MOST_COLUMNS, Form, Ground, Separation, separate
from mosaic_sr.proposal.shapes import LINKS, LOGARITHM, PLAIN, Link
from mosaic_sr.sketch import Sketch
from mosaic_sr.table import Resolution, Rounding, Rows, Table

Floats = NDArray[np.float64]
Laws = list[Expression]  # of one table or part, the likeliest first
Search = Generator[list[Sketch], None, Laws]

# Errors as a share of the deviation: above, a form has not met the rows. A function of other columns that is left out
# shows in every row, so a wrong form comes below by chance only where it is as good as right.
MOST_ERROR = 1e-3
# Below this, forms are told apart by their length only.
LEAST_ERROR = 1e-12
# Each unknown function more must lower the error by this factor: a product is a product plus nothing.
PER_FUNCTION = 30.0
# Below this error the last part is read off like the others; above, it is what the laws of the others leave.
SHARP = 1e-9
# Deepest nesting of sums in products.
DEPTH = 2
# Of a part that is known roughly: laws, and the share of squares they may leave beyond what is unknown of it.
NUM_LAWS, LENIENCE, MOST_LEFT = 3, 30.0, 1e-4
# Squares that rounding leaves.
ROUNDING = 1e-24
# Laws that are put together from those of the parts.
MOST_JOINED = 9


@dataclass(frozen=True)
class PartsConfig:
    """How widely a table is separated."""

    num_rows: int = 600  # enough for polynomials of some dozens of terms in each of two parts
    least_rows: int = 40  # fewer do not tell polynomials from what they stand for
    most_columns: int = 5  # forms grow with them, and polynomials of what is beside one column
    max_forms: int = 2  # of one table that are followed; the right one is nearly always the first
    max_searches: int = 8  # of smaller tables, a second or two each


@dataclass(frozen=True, eq=False)
class Split:
    """A table's rows in a separated form of the linked target."""

    table: Table
    rows: Rows
    ground: Ground
    link: Link
    separation: Separation

    @property
    def form(self) -> Form:
        return self.separation.form

    @property
    def rank(self) -> float:
        """Smaller errors first, fewer functions among equals."""
        num_functions = len(self.form.factors) + len(self.form.terms) + self.link.size
        return max(self.separation.error, LEAST_ERROR) * PER_FUNCTION**num_functions

    @property
    def target(self) -> Floats:
        """Of the rows, linked."""
        return self.link.value(self.rows.target)

    @property
    def error(self) -> float:
        """Size of what is not foretold, in units of the linked target."""
        return self.separation.error * float(np.std(self.target))


def splits(table: Table, config: PartsConfig) -> list[Split]:
    """The forms in which the rows of a table are foretold, the likeliest first."""
    rows = table.some_training(config.num_rows)
    is_small = rows.num_rows < config.least_rows or not 2 <= table.num_columns <= config.most_columns
    if is_small or np.any(np.ptp(rows.columns, axis=1) == 0) or rows.has_constant_target:
        return []
    ground, found = Ground(rows.columns), []
    for link in (*LINKS, LOGARITHM):
        with np.errstate(all="ignore"):
            target = link.value(rows.target)
        if not (link.covers(rows.target) and np.isfinite(target).all() and np.std(target) > 0):
            continue
        for form in _forms(tuple(range(table.num_columns))):
            if link is PLAIN or not form.factors:
                separation = separate(ground, target, form)
                if separation is not None and separation.error < MOST_ERROR:
                    found.append(Split(table, rows, ground, link, separation))
    return sorted(found, key=lambda split: split.rank)


def _forms(columns: tuple[int, ...]) -> Iterator[Form]:
    """Sums and products of functions of single columns, then those of some columns and of the rest."""
    singles, every = tuple((column,) for column in columns), tuple(range(len(columns)))
    yield Form(singles, terms=every)
    yield Form(singles, factors=every)
    for count in range(1, len(columns) // 2 + 1):
        for block in combinations(columns, count):
            rest = tuple(column for column in columns if column not in block)
            if len(rest) > MOST_COLUMNS or (2 * count == len(columns) and block > rest):
                continue
            blocks = (block, rest)
            if len(columns) > 2:
                yield Form(blocks, terms=(0, 1))
                yield Form(blocks, factors=(0, 1))
            yield Form(blocks, factors=(0, 1), terms=(0,))
            yield Form(blocks, factors=(0, 1), terms=(1,))


class PartSearch:
    """Searches of the parts of a table, and how many have been made."""

    def __init__(self, config: PartsConfig, question: Question, rng: np.random.Generator) -> None:
        self._config, self._question, self._rng = config, question, rng
        self._num_searches = 0

    def propose(self) -> Iterator[list[Sketch]]:
        """Laws put together from those of parts; an empty list before each search."""
        for split in splits(self._question.table, self._config)[: self._config.max_forms]:
            laws = yield from self._put_together(split, DEPTH)
            yield [Sketch(law, -float(rank), "peeling") for rank, law in enumerate(laws)]

    def _put_together(self, split: Split, depth: int) -> Search:
        """Laws of a table from those of its parts."""
        if split.form.factors and split.form.terms:
            return (yield from self._mixed(split, depth))
        functions = split.separation.factors or split.separation.terms
        laws: dict[int, Laws] = {}
        # The smallest parts first: what they leave is known better than a smooth function of several columns.
        *first, last = sorted(functions, key=lambda place: len(split.form.blocks[place]))
        for place in first:
            laws[place] = yield from self._part_laws(split, place, functions[place], depth)
            if not laws[place]:
                return []
        known = list(islice(product(*laws.values()), MOST_JOINED))
        if split.separation.error < SHARP or split.ground.has_few_values(split.form.blocks[last]):
            found = yield from self._part_laws(split, last, functions[last], depth)
            whole = ((*some, other) for some in known for other in found)
            return [split.link.undo(_joined(split.form, each)) for each in islice(whole, MOST_JOINED)]
        found = []
        for some in known[:NUM_LAWS]:
            found += yield from self._left(split, _joined(split.form, some), last, depth)
        return found[:MOST_JOINED]

    def _left(self, split: Split, known: Expression, place: int, depth: int) -> Search:
        """Laws of the table by those of what is left of its target when the known part is taken off."""
        link = LOGARITHM if split.form.factors else split.link
        columns = tuple(Number(variable(column)) for column in split.form.blocks[place])
        peeled = Peeled(columns, (Step(link, Number(known, known, split.separation.error)),))
        derived = peeled.table(split.table)
        laws = [] if derived is None else (yield from self._laws(derived, depth))
        return [] if derived is None else [peeled.law(_equation(law, derived), derived) for law in laws]

    def _mixed(self, split: Split, depth: int) -> Search:
        """Laws f(A) g(B) + h(B): f first, up to a number that h makes up for, then g and h, which are then known."""
        twice = split.form.terms[0]
        once = 1 - twice
        found: Laws = []
        for law in (yield from self._part_laws(split, once, split.separation.factors[once], depth))[:NUM_LAWS]:
            outer = _without_number(law)
            values = evaluate_expression(outer, split.rows.columns)
            again = separate(split.ground, split.target, split.form, {once: values})
            if again is None or not again.error < MOST_ERROR:
                continue
            split = replace(split, separation=again)
            size = float(again.factors[once] @ values / (values @ values))
            inner = yield from self._part_laws(split, twice, size * again.factors[twice], depth)
            for each in inner[:NUM_LAWS]:
                found += yield from self._beside(split, apply("mul", outer, each), outer, each, depth)
        return found[:MOST_JOINED]

    def _beside(self, split: Split, known: Expression, outer: Expression, inner: Expression, depth: int) -> Search:
        """Laws f g + h for known f and g; where h is a + b g, the law is (f + b) g + a."""
        twice = split.form.terms[0]
        term, values = split.separation.terms[twice], evaluate_expression(inner, split.rows.columns)
        design = np.column_stack([np.ones(len(values)), values])
        numbers = np.linalg.lstsq(design, term, rcond=None)[0]
        if float(np.std(term - design @ numbers)) <= 4.0 * split.error:
            shifted = apply("mul", apply("add", outer, constant(float(numbers[1]))), inner)
            return [apply("add", shifted, constant(float(numbers[0])))]
        laws = yield from self._part_laws(split, twice, term, depth, is_term=True)
        return [apply("add", known, law) for law in laws]

    def _part_laws(self, split: Split, place: int, values: Floats, depth: int, is_term: bool = False) -> Search:
        """Laws of one part, over the columns of the table."""
        is_factor = split.form.factors and not is_term
        beside = split.separation.beside(place) if is_factor else np.ones(1)
        error = split.error / float(np.sqrt(np.mean(np.square(beside))))
        block = split.form.blocks[place]
        part = self._part(split, block, values, error)
        if part is None:
            return [constant(float(np.median(values)))]
        laws = yield from self._laws(part, depth)
        shown = [in_user_units(_equation(law, part), part, part.names).expression for law in laws]
        return [substituted(law, [variable(column) for column in block]) for law in shown]

    def _part(self, split: Split, block: tuple[int, ...], values: Floats, error: float) -> Table | None:
        """The values of a part as a table of its own, a row for each value of the block; None where it is constant."""
        columns, first = np.unique(split.rows.columns[list(block)], axis=1, return_index=True)
        values = values[first]
        if np.ptp(values) <= 4.0 * error:
            return None
        part = Table.from_arrays(columns.T, values, rng=self._rng)
        known = [split.table.column_resolutions[column] for column in block]
        resolutions = [*known, Resolution(Rounding.DERIVED, absolute=2.0 * error)]
        exponents = (*part.column_exponents, part.target_exponent)
        scaled = [replace(each, exponent=each.exponent + by) for each, by in zip(resolutions, exponents, strict=True)]
        return replace(part, resolutions=tuple(scaled))

    def _laws(self, table: Table, depth: int) -> Search:
        """Laws of a smaller table, through its own parts where it has some."""
        if depth and table.num_columns > 1:
            for split in splits(table, self._config)[:1]:
                laws = yield from self._put_together(split, depth - 1)
                if laws:
                    return laws
        if self._num_searches == self._config.max_searches:
            return []
        self._num_searches += 1
        yield []
        return _likely(self._question.explore(table), table)


def _likely(laws: Sequence[Equation], table: Table) -> Laws:
    """The shortest laws that leave as little as is known of the table; with few rows, those of fewer numbers."""
    laws = [law for law in laws if law.is_exact or law.expression.num_constants < table.num_rows - 1]
    if not laws or laws[0].is_exact:
        return [law.expression for law in laws[:1]]
    unknown = float(np.mean(np.square(0.5 * table.target_resolution.quantum(table.target))))
    floor = max(unknown / float(np.var(table.target)), min(law.training.nmse for law in laws), ROUNDING)
    limit = min(LENIENCE * floor, MOST_LEFT)
    return [law.expression for law in laws if law.training.nmse <= limit][:NUM_LAWS]


def _joined(form: Form, laws: Sequence[Expression]) -> Expression:
    name = "mul" if form.factors else "add"
    return reduce(lambda left, right: apply(name, left, right), laws)


def _without_number(law: Expression) -> Expression:
    """The law without a number that is added to it."""
    last = len(law) - 1
    if law.codes[last] not in (CODES["add"], CODES["sub"]):
        return law
    right, left = law.subtree(last - 1), law.subtree(int(law.starts[last - 1]) - 1)
    if len(right) == 1 and right.codes[0] == CONSTANT:
        return left
    is_number = len(left) == 1 and left.codes[0] == CONSTANT
    return right if is_number else law


def _equation(law: Expression, table: Table) -> Equation:
    return Equation(law, table.names, UNKNOWN, UNKNOWN, "peeling")
