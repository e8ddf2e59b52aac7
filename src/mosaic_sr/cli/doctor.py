"""`mosaic doctor`: what a search needs on this machine, and whether it works."""

from __future__ import annotations

import math
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import typer

from mosaic_sr.cli.output import say

PACKAGE = "mosaic-sr"
# For those who work on the package itself.
FOR_DEVELOPERS = {"bench", "dev", "docs"}
REQUIREMENT = re.compile(r"""(?P<name>[\w.-]+)[^;]*(;.*extra == ['"](?P<extra>[\w-]+)['"])?""")


@dataclass(frozen=True)
class Finding:
    """A line of the answer; a fault says why a search would fail here, and what to do."""

    subject: str
    words: str
    is_fault: bool = False


def run_doctor() -> None:
    """Print the findings; exit code 1 if there is a fault."""
    faults = 0
    for finding in examine():
        say(f"{'FAULT' if finding.is_fault else 'ok':<6}{finding.subject:<14}{finding.words}")
        faults += finding.is_fault
    for extra, words in extras().items():
        say(f"{'':<6}{f'[{extra}]':<14}{words}")
    if faults:
        say(f"{faults} fault{'s' if faults > 1 else ''}: a search does not work here as it should")
        raise typer.Exit(1)
    say("everything that a search needs works")


def examine() -> Iterator[Finding]:
    """What a search needs, one finding each."""
    here = f"Python {platform.python_version()}, {platform.platform()}"
    yield Finding("mosaic-sr", f"{metadata.version(PACKAGE)}, {here}")
    yield Finding("cores", f"{os.cpu_count()}; --n-jobs sets how many a search uses")
    yield from map(_tried, TRIALS)


def _tried(name: str) -> Finding:
    """What a trial says; it has a process of its own, because a broken library may end its process."""
    command = [sys.executable, "-P", "-m", "mosaic_sr.cli.doctor", name]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode == 0:
        return Finding(name, done.stdout.strip())
    last = (done.stderr.strip().splitlines() or [f"its process ended with exit code {done.returncode}"])[-1]
    return Finding(name, last, is_fault=True)


def _packages() -> str:
    """The versions of all packages that are needed; LookupError where one is missing."""
    needed = [name for name, extra in _requirements() if not extra]
    missing = [name for name in needed if _version(name) is None]
    if missing:
        raise LookupError(f"{', '.join(missing)} not installed; run: pip install {' '.join(missing)}")
    return ", ".join(f"{name} {_version(name)}" for name in needed)


def _cache() -> str:
    """The folder of machine code; OSError where this process can write to none that lasts."""
    from mosaic_sr.kernel.code_cache import cache_root

    notes: list[str] = []
    folder = cache_root(notes.append)
    if notes:
        raise OSError("; ".join(notes))
    with tempfile.TemporaryFile(dir=folder) as trial:
        trial.write(b"trial")
    wanted = os.environ.get("MOSAIC_CACHE_DIR") or Path.home() / ".cache" / "mosaic-sr"
    if Path(wanted).resolve() != folder.resolve():
        raise OSError(f"{wanted} cannot be written; set MOSAIC_CACHE_DIR to a folder of your own")
    return f"{folder} can be written"


def _compiler() -> str:
    """A function compiled from scratch gives the right value; ArithmeticError otherwise."""
    from mosaic_sr.kernel.jit import IS_DISABLED, compiled

    if IS_DISABLED:
        raise ArithmeticError("NUMBA_DISABLE_JIT is set, so a search takes a thousand times as long; unset it")
    value = compiled()(_hypotenuse)(3.0, 4.0)
    if value != 5.0:
        raise ArithmeticError(f"the compiled square root of 3*3 + 4*4 is {value}, not 5; reinstall numba and llvmlite")
    return "a function was compiled and gives the right value"


def _hypotenuse(a: float, b: float) -> float:
    return math.sqrt(a * a + b * b)


def _machine_code() -> str:
    """How much of the compiled code of this version is on disk."""
    import mosaic_sr.search  # noqa: F401  registers the entry points
    from mosaic_sr.kernel.jit import ENTRY_POINTS

    kept = sum(entry.is_kept() for entry in ENTRY_POINTS)
    if kept == len(ENTRY_POINTS):
        return f"all {kept} functions of this version are compiled"
    return f"{kept} of {len(ENTRY_POINTS)} functions are compiled; a search compiles what it needs, once per version"


def _prior() -> str:
    """The learned prior is loaded and reads some rows, as a search does first."""
    from mosaic_sr.proposal.prior.session import load_session

    load_session()
    return "the learned prior is loaded"


TRIALS: dict[str, Callable[[], str]] = {
    "packages": _packages,
    "cache": _cache,
    "compiler": _compiler,
    "machine code": _machine_code,
    "prior": _prior,
}


def extras() -> dict[str, str]:
    """What each optional extra lacks and how to install it, or that it is there."""
    parts: dict[str, list[str]] = {}
    for name, extra in _requirements():
        if extra and extra not in FOR_DEVELOPERS:
            parts.setdefault(extra, []).append(name)
    return {extra: _standing(extra, names) for extra, names in parts.items()}


def _standing(extra: str, names: list[str]) -> str:
    missing = [name for name in names if _version(name) is None]
    if missing:
        return f'not installed ({", ".join(missing)}): pip install "{PACKAGE}[{extra}]"'
    return "installed: " + ", ".join(f"{name} {_version(name)}" for name in names)


def _requirements() -> Iterator[tuple[str, str]]:
    """Each package that is needed, with the extra that needs it; "" for a search itself."""
    for line in metadata.requires(PACKAGE) or []:
        if found := REQUIREMENT.match(line):
            yield found["name"], found["extra"] or ""


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    try:
        print(TRIALS[sys.argv[1]]())
    except (LookupError, OSError, ArithmeticError) as error:
        sys.exit(str(error))
