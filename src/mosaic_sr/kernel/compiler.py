"""The door to numba: its internals where they are known to work, else its documented interface, which is slower."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba

from mosaic_sr.kernel.code_cache import open_cache
from mosaic_sr.kernel.code_key import code_key
from mosaic_sr.kernel.jit import COMPILATION, PLAIN

# Releases that the tests ran with; of others the internals are tried first, in a process of their own.
TESTED = ("0.66", "0.67", "0.68")
PROBE_SECONDS = 300  # it takes 5 s on an idle core
PROBE = Path(__file__).with_name("probe.py")


@functools.cache
def maker() -> Any:
    """The module that makes machine code: `numba_internals` or `plain_numba`."""
    if uses_internals(numba.__version__):
        from mosaic_sr.kernel import numba_internals

        return numba_internals
    from mosaic_sr.kernel import plain_numba

    return plain_numba


def uses_internals(release: str) -> bool:
    """Whether machine code comes from the internals of this release of numba: as the user says, else if they work."""
    wish = os.environ.get(PLAIN, "")
    if wish:
        return wish == "0"
    if release.startswith(tuple(f"{tested}." for tested in TESTED)) or _passes_probe(release):
        return True
    COMPILATION.note(
        f"the internals of numba {release} are not those of numba {TESTED[0]} to {TESTED[-1]}, so searches are slower "
        f"and every process compiles again; install one of these releases"
    )
    return False


def _passes_probe(release: str) -> bool:
    """Whether the internals compile and load; asked once per release and kept beside the machine code.

    They may fail in any way, also by a dead process.
    """
    cache, name = open_cache(code_key(PROBE), COMPILATION.note), f"{PROBE.stem}.code"
    verdict = cache.read(name, release)
    if verdict is None:
        verdict = b"passed" if _run_probe() else b"failed"
        cache.write(name, verdict, release)
    return verdict == b"passed"


def _run_probe() -> bool:
    # -P keeps files of the working directory from being imported in place of modules.
    command = [sys.executable, "-P", "-m", "mosaic_sr.kernel.probe"]
    quiet, environment = subprocess.DEVNULL, {**os.environ, PLAIN: "0"}
    try:
        done = subprocess.run(
            command, stdin=quiet, stdout=quiet, stderr=quiet, env=environment, timeout=PROBE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
