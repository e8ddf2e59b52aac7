"""Build sdist and wheel, and test the wheel as a user gets it: a new venv, an empty folder, no repository.

    python .ci/dist_test.py [--keep FOLDER]

The wheel is built from the sdist, so both are complete. With --keep both are left in FOLDER.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_WHEEL_BYTES = 30_000_000
# Of `import sklearn.base`, in processor time, which other processes on the machine do not change.
MOST_IMPORT_TIME = 1.3
NUM_IMPORTS = 5
# Each statement is run once before, because wheels come without byte code: `find_law` imports both.
TIMED = "import time; start = time.process_time(); {}; print(time.process_time() - start)"
WHERE = "import mosaic_sr; print(mosaic_sr.__file__)"


class Installed:
    """A venv of its own, with commands that run in an empty folder and see nothing of the repository."""

    def __init__(self, folder: Path) -> None:
        self.venv, self.place = folder / "venv", folder / "empty"
        self.place.mkdir()
        venv.create(self.venv, with_pip=True)
        self.scripts = self.venv / ("Scripts" if os.name == "nt" else "bin")
        self.python = self.scripts / ("python.exe" if os.name == "nt" else "python")

    def run(self, *words: object, program: str | None = None) -> str:
        """What a command prints; it must succeed."""
        hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
        environment = {name: value for name, value in os.environ.items() if name not in hidden}
        environment["PYTHONUTF8"] = "1"
        command = [str(self.python if program is None else self.scripts / program), *map(str, words)]
        print("$", *command, flush=True)
        done = subprocess.run(
            command, cwd=self.place, env=environment, capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode:
            raise SystemExit(f"failed with exit code {done.returncode}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def install(self, *words: object) -> None:
        """Install packages with uv, which copies what it has had before."""
        self.run("-m", "uv", "pip", "install", "--quiet", "--python", self.python, *words)


def build(installed: Installed, folder: Path) -> tuple[Path, Path]:
    """The sdist and the wheel that is built from it."""
    installed.run("-m", "uv", "build", "--quiet", "--python", installed.python, "--out-dir", folder, ROOT)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    for file in (sdist, wheel):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")
    assert wheel.stat().st_size <= MOST_WHEEL_BYTES, f"the wheel is larger than {MOST_WHEEL_BYTES} bytes"
    return sdist, wheel


def find_law(installed: Installed) -> None:
    """From an empty folder to a law and its predictions."""
    own = Path(installed.run("-c", WHERE).strip())
    assert own.is_relative_to(installed.venv), f"{own} is not of the new venv"
    print(installed.run("--version", program="mosaic").strip())
    installed.run("example", program="mosaic")
    words = ("fit", "pendulum.csv", "--target", "period", "--seed", "0", "--json", "law.json")
    print(installed.run(*words, program="mosaic").strip())
    law = json.loads((installed.place / "law.json").read_text(encoding="utf-8"))
    assert law["exact"], law["equation"]
    assert "mass" not in law["equation"], law["equation"]
    installed.run("predict", "law.json", "pendulum.csv", "--output", "out.csv", program="mosaic")
    assert (installed.place / "out.csv").read_text(encoding="utf-8").count("\n") > 10
    installed.run("-c", "from mosaic_sr import MosaicRegressor; print(MosaicRegressor.load('law.json').law_)")


def measure_imports(installed: Installed) -> None:
    """Compare the time to import the estimator with that of the class it derives from."""
    statements = ("import sklearn.base", "from mosaic_sr import MosaicRegressor")
    seconds: dict[str, list[float]] = {statement: [] for statement in statements}
    for _ in range(NUM_IMPORTS):
        for statement in statements:
            seconds[statement].append(float(installed.run("-c", TIMED.format(statement))))
    base, own = (statistics.median(seconds[statement]) for statement in statements)
    print(
        f"{statements[1]}: {own:.2f} s, {own / base:.2f} times {statements[0]} ({base:.2f} s), medians of {NUM_IMPORTS}"
    )
    assert own <= MOST_IMPORT_TIME * base, f"more than {MOST_IMPORT_TIME} times"


def main() -> int:
    """Build, install, use, measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, help="folder for the sdist and the wheel")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        installed = Installed(folder)
        installed.run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv")
        sdist, wheel = build(installed, folder / "dist")
        installed.install(wheel)
        find_law(installed)
        measure_imports(installed)
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
            for file in (sdist, wheel):
                shutil.copy(file, options.keep)
    print("the wheel works without the repository")
    return 0


if __name__ == "__main__":
    sys.exit(main())
