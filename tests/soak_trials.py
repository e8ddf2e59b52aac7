"""Single trials of `make soak`: each does harm in a folder of its own and checks that nothing is lost by it.

    python -m tests.soak_trials KIND FOLDER FIRST LAST

prints a line for each number of FIRST..LAST-1: what was done, and what became of it. A trial that fails ends the
process.
"""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))  # other files of the tests, as pytest finds them

from damages import cut_short, flipped, moved, other_bytes

from mosaic_sr.cli import _run
from mosaic_sr.kernel import evaluate
from mosaic_sr.kernel.jit import ENTRY_POINTS
from mosaic_sr.law_file import read_law

DAMAGES = (flipped, cut_short, moved, other_bytes)
SECONDS = 1200  # of one command; the longest takes some seconds on an idle core, but compiles at its first use
DONE, NOT_WRITTEN, MISUSE = 0, 1, 2
# Small, and with paths that can be resumed; the finders would use up the budget before them.
LIMITS = ("--max-evaluations", "20000", "--without", "finders,prior,enumeration", "--seed", "0", "-q")
FIT = ("fit", "data.csv", "--target", "y", *LIMITS)
CELLS = (
    "", "nan", "inf", "-inf", "1e999", "1e-320", "1e308", "abc", "1,5", "1.69 m", "12 %", "<0.05", "0x10", '"', "\x00",
    "é", "\ud800",
)  # fmt: skip


def command(folder: Path, *words: str, **options) -> subprocess.Popen[str]:
    """Start `mosaic` in a group of its own."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-m", "mosaic_sr.cli", *words],
        cwd=folder, stdout=pipe, stderr=pipe, encoding="utf-8", start_new_session=True, **options,
    )  # fmt: skip


def finish(process: subprocess.Popen[str], *codes: int) -> str:
    """What a command prints; it ends by itself, with one of these exit codes and no raw error."""
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode in codes, f"exit code {process.returncode}: {err}"
    assert "Traceback" not in err, err
    return out


def refuse_remains(folder: Path) -> None:
    """No part of a file is left, and every law file is whole."""
    assert not list(folder.rglob("*.part")), "a part of a file is left"
    for law in folder.rglob("law.json"):
        read_law(law)


def make_search(folder: Path) -> str:
    """A table and the law of a search that nobody interrupts; the text of the law."""
    whole = folder / "whole.json"
    if not whole.exists():
        rng = np.random.default_rng(3)
        a, b = rng.uniform(0.5, 3.0, size=(2, 60))
        y = np.exp(-a * b) + a**1.7 + 0.05 * rng.normal(size=60)
        rows = "\n".join(f"{p},{q},{r}" for p, q, r in zip(a, b, y, strict=True))
        (folder / "data.csv").write_text(f"a,b,y\n{rows}\n", encoding="utf-8")
        started = time.monotonic()
        finish(command(folder, *FIT, "--json", "whole.json"), DONE)
        (folder / "seconds").write_text(str(time.monotonic() - started), encoding="utf-8")
    return str(json.loads(whole.read_text(encoding="utf-8"))["equation"])


def kill_search(folder: Path, number: int, rng: np.random.Generator) -> tuple[str, str]:
    """Kill a search at some moment; resumed, it finds the law of one that was never killed."""
    law, seconds = make_search(folder), float((folder / "seconds").read_text(encoding="utf-8"))
    run = f"run{number}"
    process = command(folder, *FIT, "--output", run)
    moment = rng.random() * seconds
    try:
        process.wait(timeout=moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    for file in (folder / run).glob("law.json"):
        read_law(file)
    (folder / run).mkdir(exist_ok=True)  # the earliest have not made it
    finish(command(folder, *FIT, "--resume", run, "--json", f"{run}.json"), DONE)
    assert json.loads((folder / f"{run}.json").read_text(encoding="utf-8"))["equation"] == law
    refuse_remains(folder / run)
    shutil.rmtree(folder / run)
    return f"killed_after_{10 * moment / seconds:.0f}0_%", "same_law"


def fill_disk(folder: Path, number: int, rng: np.random.Generator) -> tuple[str, str]:
    """Let a search write to a disk that is too small; the file of before stays, or a whole one replaces it."""
    make_search(folder)
    size, disk = int(rng.integers(4, 80)) * 1024, folder / f"disk{number}"
    disk.mkdir()
    is_mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk)], capture_output=True, check=False
    ).returncode == 0  # fmt: skip
    try:
        return _fill(folder, disk, size, is_mounted)
    finally:
        if is_mounted:
            subprocess.run(["umount", str(disk)], check=True)


def _fill(folder: Path, disk: Path, size: int, is_mounted: bool) -> tuple[str, str]:
    law, whole = disk / "law.json", (folder / "whole.json").read_bytes()
    before = whole if 2 * len(whole) < size else b""  # the disk has room for it
    law.write_bytes(before)
    options = {} if is_mounted else {"preexec_fn": lambda: _limit_files(size)}
    process = command(folder, *FIT, "--json", str(law), "--output", str(disk / "run"), **options)
    out = finish(process, DONE, NOT_WRITTEN, MISUSE)
    assert process.returncode == MISUSE or out.strip(), "the law was not printed"
    if law.read_bytes() != before:
        read_law(law)
    refuse_remains(disk / "run")
    return ("full_disk" if is_mounted else "limited_file"), ("written", "not_written", "refused")[process.returncode]


def _limit_files(size: int) -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def damage_cache(folder: Path, number: int, rng: np.random.Generator) -> tuple[str, str]:
    """Damage machine code on disk; it is compiled again, and predictions are those of before."""
    make_search(folder)
    words = ("predict", "whole.json", "data.csv", "--output")
    finish(command(folder, *words, "right.csv"), DONE)
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(mode=0o700)
    for kept in {entry.cache.folders[0] for entry in ENTRY_POINTS}:
        shutil.copytree(kept, cache / kept.name)
    damage = DAMAGES[rng.integers(len(DAMAGES))]
    for file in cache.rglob("evaluate*.code"):
        file.write_bytes(damage(file.read_bytes(), rng))
    process = command(folder, *words, f"out{number}.csv", env={**os.environ, "MOSAIC_CACHE_DIR": str(cache)})
    finish(process, DONE)
    assert (folder / f"out{number}.csv").read_bytes() == (folder / "right.csv").read_bytes()
    return damage.__name__, "compiled_again"


def damage_prior(folder: Path, number: int, rng: np.random.Generator) -> tuple[str, str]:
    """Damage the weights of a prior; they are refused, or the search ends with a law."""
    make_search(folder)
    weights, prior = Path(evaluate.__file__).parents[1] / "proposal" / "prior" / "weights", folder / "prior"
    shutil.rmtree(prior, ignore_errors=True)
    shutil.copytree(weights, prior)
    files = sorted(file for file in prior.iterdir() if file.is_file())
    file = files[rng.integers(len(files))]
    damage = DAMAGES[rng.integers(len(DAMAGES))]
    file.write_bytes(damage(file.read_bytes(), rng))
    words = ("fit", "data.csv", "--target", "y", "--max-evaluations", "300", "--prior", str(prior), "-q")
    process = command(folder, *words)
    finish(process, DONE, MISUSE)
    return f"{damage.__name__}_{file.name}", "refused" if process.returncode else "read"


def damage_files(folder: Path, number: int, rng: np.random.Generator) -> tuple[str, str]:
    """Damage a state or a law file; it is refused by name, or read and used."""
    import damaged_files

    damaged_files.make_files(folder)
    what, outcome = damaged_files.outcome_of(folder, number)
    assert outcome in ("read", "refused"), outcome
    return what, outcome


def break_table(folder: Path, number: int, rng: np.random.Generator) -> tuple[str, str]:
    """Break a table; it is refused with one line, or a law is found."""
    breaks = TABLE_BREAKS[rng.integers(len(TABLE_BREAKS))]
    X = rng.normal(size=(20, 2)) * 10.0 ** rng.integers(-300, 300)
    cells = [["a", "b", "y"], *([repr(float(p)), repr(float(q)), repr(float(p + 2 * q))] for p, q in X)]
    (folder / "table.csv").write_bytes(breaks(cells, rng))
    words = ["fit", str(folder / "table.csv"), "--target", "y", "--max-evaluations", "50", "--time-limit", "5", "-q"]
    with redirect_stdout(io.StringIO()):  # the law, which would stand between the lines of the trials
        code = _run(words)
    assert code in (DONE, MISUSE), f"exit code {code}"
    return breaks.__name__, "refused" if code else "read"


def written(cells: list[list[str]], separator: str = ",") -> bytes:
    return "\n".join(separator.join(row) for row in cells).encode("utf-8", "surrogatepass")


def with_odd_cells(cells, rng):
    for _ in range(rng.integers(1, 12)):
        cells[rng.integers(len(cells))][rng.integers(3)] = CELLS[rng.integers(len(CELLS))]
    return written(cells)


def with_odd_rows(cells, rng):
    for _ in range(rng.integers(1, 4)):
        row = cells[rng.integers(len(cells))]
        row[:] = (row[:1], row * 2, [], [*row, ""], ["#", *row])[rng.integers(5)]
    return written(cells)


def with_few_rows(cells, rng):
    return written(cells[: rng.integers(6)])


def with_equal_columns(cells, rng):
    for row in cells[1:]:
        row[rng.integers(2)] = row[2] if rng.random() < 0.5 else "1.0"
    return written(cells)


def in_other_encoding(cells, rng):
    text = written(cells, ("\t", ";", ",", "|")[rng.integers(4)]).decode()
    return text.encode(("utf-16", "utf-8-sig", "utf-32", "utf-16-be")[rng.integers(4)])


def with_damaged_bytes(cells, rng):
    return DAMAGES[rng.integers(len(DAMAGES))](written(cells), rng)


TABLE_BREAKS = (with_odd_cells, with_odd_rows, with_few_rows, with_equal_columns, in_other_encoding, with_damaged_bytes)
# How many of a kind one process tries: those that start programs themselves gain nothing from company.
KINDS = {
    "tables": (break_table, 40),
    "files": (damage_files, 100),
    "kills": (kill_search, 2),
    "disks": (fill_disk, 2),
    "cache": (damage_cache, 2),
    "prior": (damage_prior, 3),
}


def main(kind: str, folder: Path, first: int, last: int) -> None:
    trial, _ = KINDS[kind]
    for number in range(first, last):
        print(number, end=" ", flush=True)
        print(*trial(folder, number, np.random.default_rng(number)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
