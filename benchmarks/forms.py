"""How many distinct forms there are of each size: laws with free constants, each in one spelling."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from benchmarks.run_options import Parser, count
from mosaic_sr.operators import ARITY, CODES, NAMES
from mosaic_sr.proposal.enumeration.form import Form, leaf, node

ARITHMETIC = ("add", "sub", "mul", "div")
OPERATORS = {
    "+ - * /": ARITHMETIC,
    "and powers": (*ARITHMETIC, "inv", "sq", "cube", "sqrt", "pow"),
    "and exp, log": (*ARITHMETIC, "inv", "sq", "cube", "sqrt", "pow", "exp", "log"),
    "all": NAMES,
}
# Forms of one size beyond which the next size takes minutes and gigabytes.
MOST = 100_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a table with a row for each choice of operators and columns."""
    parser = Parser(prog="python -m benchmarks forms", description=__doc__)
    parser.add_argument("--nodes", type=count, default=9, metavar="N", help="sizes up to so many nodes, 9 by default")
    options = parser.parse_args(arguments)
    sizes = range(1, options.nodes + 1)
    print(f"| operators | columns | {' | '.join('1 node' if size == 1 else f'{size} nodes' for size in sizes)} |")
    print(f"| --- | ---: |{' ---: |' * len(sizes)}")
    for name, operators in OPERATORS.items():
        for num_columns in (1, 2, 3):
            counts = [f"{own:,}" for own in distinct_forms(operators, num_columns, options)]
            cells = [*counts, *["–"] * (len(sizes) - len(counts))]
            print(f"| {name} | {num_columns} | {' | '.join(cells)} |", flush=True)
    return 0


def distinct_forms(operators: Sequence[str], num_columns: int, options: argparse.Namespace) -> Iterator[int]:
    """The number of laws of each size, as far as they are not too many; those that use no column do not count."""
    seen: set[int] = set()
    sizes: list[list[Form]] = [[]]
    while len(sizes) <= options.nodes and len(sizes[-1]) <= MOST:
        own = []
        for form in _made(operators, num_columns, sizes):
            if form.key not in seen:
                seen.add(form.key)
                own.append(form)
        sizes.append(own)
        yield sum(bool(form.columns) for form in own)


def _made(operators: Sequence[str], num_columns: int, sizes: Sequence[Sequence[Form]]) -> Iterator[Form]:
    """The forms of the next size, from those of the sizes before."""
    size = len(sizes)
    if size == 1:
        yield from (leaf(None), leaf(1.0), *map(leaf, range(num_columns)))
    for name in operators:
        operands: Iterator[tuple[Form, ...]] = ((one,) for one in sizes[-1])
        if ARITY[CODES[name]] == 2:
            splits = ((sizes[first], sizes[size - 1 - first]) for first in range(1, size - 1))
            operands = ((one, other) for firsts, seconds in splits for one in firsts for other in seconds)
        yield from (form for own in operands if (form := node(name, own)) is not None)


if __name__ == "__main__":
    main()
