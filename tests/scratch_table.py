"""A copy of the package whose operator table has four more rows, as CONTRIBUTING says that they are added."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import mosaic_sr

ROOT = Path(__file__).parents[1]
ROWS = """\
    Operator("max", 2, "maximum(a, b)", ("1.0 if a >= b else 0.0", "0.0 if a >= b else 1.0"), 0.3, commutes=True),
    Operator("sech", 1, "1.0 / cosh(a)", ("-v * tanh(a)",), 0.2,
             _undone("arccosh(1.0 / v)", "-arccosh(1.0 / v)", low=0.0, high=1.0), "growth", parity=1),
    Operator("erf", 1, "erf(a)", ("1.1283791670955126 * exp(-a * a)",), 0.2, _undone("erfinv(v)", low=-1.0, high=1.0),
             "sigmoid", parity=-1),
    Operator("relu", 1, "maximum(a, 0.0)", ("1.0 if a > 0.0 else 0.0",), 0.2, _undone("v", low=0.0)),
"""
END_OF_TABLE = ")  # fmt: skip\n\nNAMES"


def make_scratch(folder: Path) -> Path:
    """Copy the package, append the rows to its table and run the generator; returns the folder to import from."""
    package = folder / "mosaic_sr"
    shutil.copytree(Path(mosaic_sr.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    table = package / "operators.py"
    before, after = table.read_text().split(END_OF_TABLE)
    table.write_text(before + ROWS + END_OF_TABLE + after)
    run_in_scratch(folder, "-m", "mosaic_sr.kernel.generate")
    return folder


def run_in_scratch(folder: Path, *words: str, compiled: bool = False, timeout: float = 300) -> str:
    """What Python prints when it runs those words with the copy of the package; its errors fail the test."""
    surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}
    if not compiled:
        surroundings["NUMBA_DISABLE_JIT"] = "1"
    done = subprocess.run(
        [sys.executable, *words],
        env=surroundings,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout
