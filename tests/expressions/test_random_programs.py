"""Random programs: each is refused by name or evaluated, whatever its numbers; none ends the process."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from mosaic_sr.errors import InvalidFormula, InvalidTable
from mosaic_sr.expressions.expression import Expression
from mosaic_sr.expressions.values import evaluate_expression
from mosaic_sr.kernel.derivatives import block_jacobian
from mosaic_sr.kernel.derivatives import work_size as jacobian_work_size
from mosaic_sr.operators import ARITY, CONSTANT, HOLE, NUM_CODES, VARIABLE

NUM_COLUMNS, NUM_ROWS = 3, 7
ODD_NUMBERS = (0.0, -0.0, np.nan, np.inf, -np.inf, 5e-324, 1e308, -1.0, 2.5)
ODD_CODES = (-(2**31), -1, NUM_CODES, NUM_CODES + 1000, 2**31 - 1)
ODD_SLOTS = (-(2**31), -1, NUM_COLUMNS, 1000, 2**31 - 1)

Arrays = tuple[list[int], list[int], list[float]]


def random_formula(rng: np.random.Generator) -> Arrays:
    """A program that is one: leaves are pushed, operators take what is there."""
    codes: list[int] = []
    depth, most = 0, int(rng.integers(1, 30))
    while len(codes) < most or depth != 1:
        is_long = len(codes) >= most
        allowed = [code for code in range(NUM_CODES) if ARITY[code] <= depth and (ARITY[code] == 2 or not is_long)]
        codes.append(int(rng.choice(allowed)))
        depth += 1 - int(ARITY[codes[-1]])
    places = iter(range(len(codes)))
    slots = [
        int(rng.integers(NUM_COLUMNS)) if code == VARIABLE else next(places) if code == CONSTANT else 0
        for code in codes
    ]
    return codes, slots, [float(rng.choice(ODD_NUMBERS)) for _ in range(codes.count(CONSTANT))]


def damaged(rng: np.random.Generator, arrays: Arrays) -> Arrays:
    """The program with one to three numbers of it changed, taken out or put in."""
    codes, slots, constants = (list(values) for values in arrays)
    for _ in range(rng.integers(1, 4)):
        values, odd = ((codes, ODD_CODES), (slots, ODD_SLOTS), (constants, ODD_NUMBERS))[rng.integers(3)]
        place = int(rng.integers(len(values) + 1))
        new = odd[rng.integers(len(odd))] if rng.random() < 0.3 else int(rng.integers(NUM_CODES))
        match rng.integers(3):
            case 0:
                values.insert(place, new)
            case 1:
                del values[place : place + 1]
            case _:
                values[place : place + 1] = [new]
    return codes, slots, constants


def random_numbers(rng: np.random.Generator) -> Arrays:
    """Numbers that are a program by luck alone."""
    size = int(rng.integers(0, 8))
    codes = rng.integers(-1, NUM_CODES + 1, size).tolist()
    slots = rng.integers(-1, NUM_COLUMNS + 1, size).tolist()
    return codes, slots, rng.normal(size=rng.integers(0, 4)).tolist()


def outcome(rng: np.random.Generator, columns: np.ndarray) -> str:
    """What becomes of one random program: the error that refuses it, or "evaluated"."""
    formula = random_formula(rng)
    make = (lambda: formula, lambda: damaged(rng, formula), lambda: random_numbers(rng))[rng.integers(3)]
    codes, slots, constants = make()
    try:
        expression = Expression(
            np.array(codes, dtype=np.int32), np.array(slots, dtype=np.int32), np.array(constants, dtype=np.float64)
        )
        values = evaluate_expression(expression, columns)
    except (InvalidFormula, InvalidTable) as error:
        return type(error).__name__
    assert values.shape == (NUM_ROWS,)
    jacobian = np.empty((expression.num_constants, NUM_ROWS))
    wanted, work = np.ones(expression.num_constants, np.int64), np.empty(jacobian_work_size(len(expression)))
    again = np.empty(NUM_ROWS)
    block_jacobian(
        expression.codes, expression.slots, expression.constants, wanted, columns, 0, NUM_ROWS, work, again, jacobian
    )
    if HOLE in codes:
        return "with holes"
    np.testing.assert_array_equal(again, values)
    return "evaluated"


def try_programs(count: int, seed: int) -> Counter[str]:
    """How often each outcome comes."""
    rng = np.random.default_rng(seed)
    columns = rng.choice([*ODD_NUMBERS, *rng.normal(size=20)], (NUM_COLUMNS, NUM_ROWS))
    return Counter(outcome(rng, columns) for _ in range(count))


def run_apart(count: int, seed: int) -> Counter[str]:
    """The same in a process of its own, because a failure would end it."""
    done = subprocess.run(
        [sys.executable, __file__, str(count), str(seed)], capture_output=True, text=True, timeout=3000, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return Counter({name: int(number) for name, number in (line.split("=") for line in done.stdout.splitlines())})


def check(outcomes: Counter[str], count: int) -> None:
    assert sum(outcomes.values()) == count
    assert set(outcomes) == {"evaluated", "with holes", "InvalidFormula", "InvalidTable"}
    assert outcomes["evaluated"] + outcomes["with holes"] > 0.3 * count
    assert outcomes["InvalidFormula"] > 0.3 * count


def test_random_programs_are_refused_or_evaluated():
    check(run_apart(3000, 0), 3000)


@pytest.mark.slow  # a hundred thousand programs
def test_a_hundred_thousand_random_programs_are_refused_or_evaluated():
    check(run_apart(100_000, 1), 100_000)


if __name__ == "__main__":
    for name, number in sorted(try_programs(int(sys.argv[1]), int(sys.argv[2])).items()):
        print(f"{name}={number}")
