"""`make soak`: kills, full disks, damaged files and broken tables, for a while; prints what was tried and lost.

    python -m tests.soak [--seconds 600] [--count 1000] [--only tables,kills] [--seed 0]

A trial is lost when a process dies, hangs or shows a raw error, when a file is neither the old nor a whole new one, or
when a resumed search finds another law. Each has a number, which repeats it.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from tests.soak_trials import KINDS

ROOT = Path(__file__).parents[1]
# Of one process with all its trials; a busy machine may need a hundred times as long as an idle one.
HANGS_AFTER = 3600.0
SHOWN_LINES = 12


@dataclass
class Tally:
    """What was tried, by kind, what was done and what became of it; and what was lost."""

    tried: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)

    def add(self, kind: str, command: list[str], first: int, last: int) -> None:
        """Run the trials of these numbers in a process; after one that fails, the rest in another."""
        while first < last:
            done, err = _finished([*command, str(first), str(last)])
            words = [line.split() for line in done.splitlines()]
            whole = [line for line in words if len(line) == 3]
            self.tried.update((kind, what.partition("_after_")[0], outcome) for _, what, outcome in whole)
            first += len(whole)
            if first < last:
                self.lost.append(f"{kind} {first}: {err}")
                first += 1

    def lines(self) -> list[str]:
        """The report."""
        rows = [
            f"{kind:8}{what:34}{outcome:16}{count:6}" for (kind, what, outcome), count in sorted(self.tried.items())
        ]
        return [*rows, f"tried {self.tried.total() + len(self.lost)}, lost {len(self.lost)}", *self.lost]


def _finished(command: list[str]) -> tuple[str, str]:
    """Standard output of a process, and its last words."""
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, encoding="utf-8", errors="replace")
    try:
        out, err = process.communicate(timeout=HANGS_AFTER)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        err += f"\nnot finished after {HANGS_AFTER:.0f} s"
    tail = "\n    ".join(err.strip().splitlines()[-SHOWN_LINES:])
    return out, f"exit code {process.returncode}\n    {tail}"


def soak(kinds: list[str], seconds: float, count: int, seed: int, folder: Path) -> Tally:
    """Try the kinds in turn until the time is over or so many were tried."""
    tally, end, numbers = Tally(), time.monotonic() + seconds, Counter(dict.fromkeys(kinds, seed))
    for kind in cycle(kinds):
        left = count - tally.tried.total() - len(tally.lost)
        if left <= 0 or time.monotonic() > end:
            return tally
        first, batch = numbers[kind], min(KINDS[kind][1], left)
        (folder / kind).mkdir(exist_ok=True)
        tally.add(kind, [sys.executable, "-m", "tests.soak_trials", kind, str(folder / kind)], first, first + batch)
        numbers[kind] += batch
        print(f"{kind} {first} to {first + batch - 1}: {len(tally.lost)} lost so far", flush=True)
    return tally


def main(words: list[str]) -> int:
    """The exit code: 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0, help="no new trials after so many seconds")
    parser.add_argument("--count", type=int, default=1_000_000, help="largest number of trials")
    parser.add_argument("--only", default=",".join(KINDS), help=f"kinds of trials: {', '.join(KINDS)}")
    parser.add_argument("--seed", type=int, default=0, help="number of the first trial of each kind")
    options = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="mosaic-soak-") as folder:
        tally = soak(options.only.split(","), options.seconds, options.count, options.seed, Path(folder))
    print("\n".join(tally.lines()))
    return 1 if tally.lost else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
