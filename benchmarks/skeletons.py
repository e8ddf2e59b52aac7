"""`python -m benchmarks skeletons`: write the skeletons of all problems, and those excluded from training data."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.suites import SUITES
from mosaic_sr import num_operators, skeleton, skeleton_hash

# Smaller skeletons, such as x*y/z, are everybody's mathematics and stay in training.
MIN_OPERATORS = 4

_REPOSITORY = Path(__file__).parent.parent
ALL_SKELETONS = _REPOSITORY / "benchmarks" / "skeletons.json"
KEPT_OUT = _REPOSITORY / "src" / "mosaic_sr" / "pretraining" / "skeletons.json"


def skeleton_table() -> dict[str, dict[str, object]]:
    """By hash: the operators of the skeleton, whether training avoids it, and the problems that share it."""
    problems: dict[str, list[str]] = {}
    operators: dict[str, int] = {}
    for suite in SUITES.values():
        for problem in suite.problems:
            if problem.truth is None or not suite.is_kept_out:
                continue
            digest = skeleton_hash(problem.truth)
            problems.setdefault(digest, []).append(f"{suite.name}/{problem.id}")
            operators[digest] = num_operators(skeleton(problem.truth))
    return {
        digest: {
            "operators": operators[digest],
            "kept_out": operators[digest] >= MIN_OPERATORS,
            "problems": problems[digest],
        }
        for digest in sorted(problems)
    }


def kept_out(table: dict[str, dict[str, object]]) -> dict[str, object]:
    """The part of the table that the training corpus reads."""
    return {"min_operators": MIN_OPERATORS, "skeletons": [digest for digest, row in table.items() if row["kept_out"]]}


def main(words: Sequence[str] = ()) -> int:
    """Write both files and say how many skeletons they hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks skeletons", description=__doc__)
    parser.add_argument("--out", type=Path, default=ALL_SKELETONS, help="file of all skeletons with their problems")
    parser.add_argument("--kept-out", type=Path, default=KEPT_OUT, help="hashes that training data must not contain")
    options = parser.parse_args(list(words))
    table = skeleton_table()
    rows = ",\n".join(f"{json.dumps(digest)}: {json.dumps(row)}" for digest, row in table.items())
    options.out.write_text("{\n" + rows + "\n}\n")
    options.kept_out.write_text(json.dumps(kept_out(table), indent=0) + "\n")
    flagged = sum(bool(row["kept_out"]) for row in table.values())
    print(f"{len(table)} skeletons, {flagged} of them with {MIN_OPERATORS} operators or more")
    return 0
