"""Parts: where a target separates into unknown functions of fewer columns, each is searched, and the laws put together.

The values of an unknown function at the rows are a smaller table, exact on a grid and nearly so where the function is
smooth. Its few likeliest laws are put together with those of the others and refitted on the original rows; only there
is anything claimed. A part whose law is not found leaves its nearest one, as a seed.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from mosaic_sr.equation import UNKNOWN, Equation, in_user_units
from mosaic_sr.expressions.expression import Expression, apply, constant, join, substituted, variable
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.linear_algebra import solve_least_squares
from mosaic_sr.operators import CODES, CONSTANT
from mosaic_sr.proposal.context import Event, ProposalContext, Signal
from mosaic_sr.proposal.reductions.separation import BlockForm, separate
from mosaic_sr.proposal.reductions.splits import (
    FEWEST_VALUES,
    MOST_ERROR,
    MOST_SPLIT_COLUMNS,
    Split,
    find_further_splits,
    find_plain_splits,
)
from mosaic_sr.proposal.smaller_tables import Number, SmallerTable, TakenPart
from mosaic_sr.proposal.views.steps import wrap
from mosaic_sr.sketch import rank_sketches
from mosaic_sr.table import Resolution, Rounding, Rows, Table, narrowed

Floats = NDArray[np.float64]

# Deepest nesting of sums in products.
DEPTH = 2
# Of a part that is known roughly: laws, and the share of squares they may leave beyond what is unknown of it.
NUM_LAWS, LENIENCE, MOST_LEFT = 3, 30.0, 1e-4
# Parts that are known to this share of the deviation have laws that can be seen to agree.
WELL_KNOWN = 1e-6
# Squares that rounding leaves.
ROUNDING = 1e-24
# A deviation within so many quanta of what is known is none.
CONSTANT_WITHIN = 3.0
# Laws that are put together from those of the parts.
MOST_JOINED = 9
MAX_SPLITS = 2  # of one table that are followed; the right one is nearly always the first
MAX_SEARCHES = 6  # of smaller tables: a second or two each, several where they are known roughly


@dataclass(frozen=True)
class Laws:
    """Laws of one table or part, the likeliest first; are_met: whether they leave no more than is unknown of it."""

    each: tuple[Expression, ...] = ()
    are_met: bool = False

    def few(self) -> tuple[Expression, ...]:
        """Those that others are put together with; of mere approximations one is enough."""
        return self.each[: NUM_LAWS if self.are_met else 1]


Search = Generator[Event, None, Laws]


def propose_parts(context: ProposalContext, rng: np.random.Generator) -> Iterator[Event]:
    """Laws put together from those of parts; of a wider table, of those of its most relevant columns."""
    if context.table.num_columns < 2:
        return
    chosen = sorted(np.argsort(-context.scores, kind="stable")[:MOST_SPLIT_COLUMNS].tolist())
    narrow = replace(context, table=narrowed(context.table, chosen), scores=context.scores[chosen])
    for event in PartSearch(narrow, rng).propose():
        if isinstance(event, Signal):
            yield event
        else:
            yield [replace(sketch, expression=sketch.expression.renamed(chosen)) for sketch in event]


class PartSearch:
    """Searches of the parts of a table, and how many have been made."""

    def __init__(self, context: ProposalContext, rng: np.random.Generator) -> None:
        self._context, self._rng = context, rng
        self._num_searches = 0

    def propose(self) -> Iterator[Event]:
        """Laws put together from those of parts; a heartbeat before each search."""
        table = self._context.table
        found = yield from find_plain_splits(table)
        yield from self._propose_from(found)
        if not found:
            yield Signal.PAUSE
            found = yield from find_further_splits(table)
            yield from self._propose_from(found)

    def _propose_from(self, found: Sequence[Split]) -> Iterator[Event]:
        for split in found[:MAX_SPLITS]:
            if split.separation.error > WELL_KNOWN:
                yield Signal.PAUSE  # searches of parts that are known roughly do not end early
            laws = yield from self._put_together(split, DEPTH)
            yield rank_sketches(laws.each, "reductions")

    def _put_together(self, split: Split, depth: int) -> Search:
        """Laws of a table from those of its parts."""
        if split.form.factors and split.form.terms:
            return (yield from self._mixed(split, depth))
        functions = split.separation.factors or split.separation.terms
        known: list[Laws] = []
        *first, last = sorted(functions, key=split.difficulty)
        for place in first:
            known.append((yield from self._part_laws(split, place, functions[place], depth)))
            if not known[-1].each:
                return Laws()
        if not split.is_sharp and not split.has_few_values(last):
            return (yield from self._through_rest(split, known, last, depth))
        known.append((yield from self._part_laws(split, last, functions[last], depth)))
        whole = (wrap(_joined(split.form, each), split.link.outer) for each in product(*(laws.few() for laws in known)))
        return Laws(tuple(islice(whole, MOST_JOINED)), all(laws.are_met for laws in known))

    def _through_rest(self, split: Split, known: Sequence[Laws], place: int, depth: int) -> Search:
        """What the laws of the other parts leave is known better than a smooth function of several columns."""
        found: list[Laws] = []
        for some in islice(product(*(laws.few() for laws in known)), NUM_LAWS):
            found.append((yield from self._rest(split, _joined(split.form, some), place, depth)))
        are_met = all(laws.are_met for laws in known) and any(laws.are_met for laws in found)
        return Laws(tuple(law for laws in found for law in laws.few())[:MOST_JOINED], are_met)

    def _rest(self, split: Split, known: Expression, place: int, depth: int) -> Search:
        """Laws of the table by those of what is left of its target when a known part is taken off."""
        behind = None if split.form.factors else split.link
        taken = TakenPart(Number(known, known, split.separation.error), behind)
        smaller = SmallerTable(tuple(Number(variable(column)) for column in split.form.blocks[place]), (taken,))
        derived = smaller.table(split.table)
        if derived is None:
            return Laws()
        laws = yield from self._laws(derived, depth, split.num_values(place))
        return replace(laws, each=tuple(smaller.law(_equation(law, derived), derived) for law in laws.each))

    def _mixed(self, split: Split, depth: int) -> Search:
        """Laws f(A) g(B) + h(B): f first, up to a number that h makes up for, then g and h, which are then known."""
        twice = split.form.terms[0]
        once, found = 1 - twice, Laws()
        outers = yield from self._part_laws(split, once, split.separation.factors[once], depth)
        for law in outers.few() if outers.are_met else ():
            outer = _without_number(law)
            values = evaluate_expression(outer, split.rows.columns)
            again = separate(split.blocks, split.target, split.form, {once: values})
            if again is None or not again.error < MOST_ERROR:
                continue
            sure = replace(split, separation=again)
            size = float(again.factors[once] @ values / (values @ values))
            inners = yield from self._part_laws(sure, twice, size * again.factors[twice], depth)
            for inner in inners.few():
                later = yield from self._beside(sure, outer, inner, depth)
                are_met = found.are_met or (inners.are_met and later.are_met)
                found = Laws((*found.each, *later.each)[:MOST_JOINED], are_met)
        return found

    def _beside(self, split: Split, outer: Expression, inner: Expression, depth: int) -> Search:
        """Laws f g + h for known f and g; where h is a + b g, the law is (f + b) g + a."""
        twice = split.form.terms[0]
        term, values = split.separation.terms[twice], evaluate_expression(inner, split.rows.columns)
        design = np.column_stack([np.ones(len(values)), values])
        numbers = solve_least_squares(design, term)
        if float(np.std(term - design @ numbers)) <= CONSTANT_WITHIN * 2.0 * split.error:
            shifted = apply("mul", apply("add", outer, constant(float(numbers[1]))), inner)
            return Laws((apply("add", shifted, constant(float(numbers[0]))),), True)
        laws = yield from self._part_laws(split, twice, term, depth, is_term=True)
        return replace(laws, each=tuple(apply("add", apply("mul", outer, inner), law) for law in laws.few()))

    def _part_laws(self, split: Split, place: int, values: Floats, depth: int, is_term: bool = False) -> Search:
        """Laws of one part, over the columns of the table."""
        is_factor = split.form.factors and not is_term
        beside = split.separation.beside(place) if is_factor else np.ones(1)
        error = split.error / float(np.sqrt(np.mean(np.square(beside))))
        block = split.form.blocks[place]
        part = self._part(split, block, values, error)
        if part is None:
            return Laws((constant(float(np.median(values))),), True)
        laws = yield from self._laws(part, depth, split.num_values(place))
        shown = (in_user_units(_equation(law, part), part, part.names).expression for law in laws.each)
        return replace(laws, each=tuple(substituted(law, [variable(column) for column in block]) for law in shown))

    def _part(self, split: Split, block: tuple[int, ...], values: Floats, error: float) -> Table | None:
        """The values of a part as a table of its own, a row for each value of the block; None where it is constant."""
        columns, first = np.unique(split.rows.columns[list(block)], axis=1, return_index=True)
        values = values[first]
        if np.std(values) <= CONSTANT_WITHIN * 2.0 * error:
            return None
        part = Table.from_arrays(columns.T, values, rng=self._rng)
        known = [split.table.column_resolutions[column] for column in block]
        resolutions = [*known, Resolution(Rounding.DERIVED, absolute=2.0 * error)]
        exponents = (*part.column_exponents, part.target_exponent)
        scaled = [replace(each, exponent=each.exponent + by) for each, by in zip(resolutions, exponents, strict=True)]
        part = replace(part, resolutions=tuple(scaled))
        return part if part.num_rows >= FEWEST_VALUES else _repeated(part)

    def _laws(self, table: Table, depth: int, num_values: int) -> Search:
        """Laws of a smaller table, through its own parts where it has some; num_values: of its distinct rows."""
        unknown = float(np.mean(table.target_resolution.quantum(table.target)))
        if np.std(table.target) <= CONSTANT_WITHIN * unknown:
            return Laws((constant(float(np.median(table.target))),), True)
        nearest = Laws()
        if depth and table.num_columns > 1:
            found = yield from find_plain_splits(table)
            found = found or (yield from find_further_splits(table))
            for split in found[:1]:
                nearest = yield from self._put_together(split, depth - 1)
                if nearest.are_met:
                    return nearest
        if self._num_searches == MAX_SEARCHES:
            return nearest
        self._num_searches += 1
        yield Signal.HEARTBEAT
        laws = _likely(self._context.explore(table), table, num_values)
        return laws if laws.are_met or not nearest.each else nearest


def _repeated(part: Table) -> Table:
    """A table with each row several times: finders leave smaller ones alone.

    Not so often that a number for each row could pass for a law, which needs more rows than numbers and operators.
    """
    times = -(-FEWEST_VALUES // part.num_rows)
    rows = Rows(np.tile(part.columns, times), np.tile(part.target, times), np.empty(0))
    shared = replace(part, training=rows, validation=rows)
    return replace(shared, columns=rows.columns, target=rows.target, weights=rows.weights)


def _likely(laws: Sequence[Equation], table: Table, num_values: int) -> Laws:
    """The shortest laws that leave as little as is known of the table.

    Where it takes few values, those with fewer numbers in them: a number for each value would agree with anything.
    """
    few = [law for law in laws if law.expression.num_constants < num_values - 1]
    if not few:
        return Laws()
    if few[0].is_exact:
        return Laws((few[0].expression,), True)
    unknown = float(np.mean(np.square(0.5 * table.target_resolution.quantum(table.target))))
    nearest = min(few, key=lambda law: law.training.nmse)
    floor = max(unknown / float(np.var(table.target)), nearest.training.nmse, ROUNDING)
    met = [law.expression for law in few if law.training.nmse <= min(LENIENCE * floor, MOST_LEFT)]
    return Laws(tuple(met[:NUM_LAWS]), True) if met else Laws((nearest.expression,))


def _joined(form: BlockForm, laws: Sequence[Expression]) -> Expression:
    return join("mul" if form.factors else "add", laws)


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
    return Equation(law, table.names, UNKNOWN, UNKNOWN, "reductions")
