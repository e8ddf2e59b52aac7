"""What machine code depends on, as a short key: the sources it is made of, Python, numba and the processor."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import re
import sys
from itertools import takewhile
from pathlib import Path

# Lines of Linux's list of processors that say what code they run; others change from second to second.
PROCESSOR_FACTS = {"vendor_id", "cpu family", "model", "model name", "flags"}
PROCESSOR_FACTS |= {"CPU implementer", "CPU architecture", "CPU part", "Features"}

# numba's settings that change machine code.
CODE_SETTINGS = ("CPU_NAME", "CPU_FEATURES", "OPT", "ENABLE_AVX", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK")

# A module, and the names that are imported from it. Trees of all these files would take seconds to build.
IMPORTS = re.compile(r"^[ \t]*from ([\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@functools.cache
def code_key(source: Path) -> str:
    """A key per state of a file and of all it imports from the package, and per place that the code can run in."""
    digest = hashlib.sha256(_place().encode())
    for imported in sorted(_imported_sources(source)):
        # Machine code names the modules that it calls: a file that has moved to another folder is another module.
        digest.update(f"{imported.parent.name}/{imported.name}".encode() + imported.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def _place() -> str:
    """What machine code depends on: Python, numba and its settings, the processor; told without importing numba."""
    numba = importlib.util.find_spec("numba")
    # Asking importlib.metadata takes longer than all else here.
    installed = Path(numba.origin).parents[1].glob("numba-*-info") if numba and numba.origin else ()
    settings = [f"{name}={value}" for name in CODE_SETTINGS if (value := os.environ.get(f"NUMBA_{name}"))]
    releases = sorted(folder.name for folder in installed)
    return "\n".join([sys.version, *releases, *settings, platform.machine(), *_processor()])


def _processor() -> list[str]:
    """The processor's kind and abilities: of the first one listed, where the system lists them."""
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as listed:
            of_first = list(takewhile(str.strip, listed))
    except OSError:
        return [os.environ.get("PROCESSOR_IDENTIFIER", "")]  # of Windows; Macs differ in `platform.machine`
    return [line for line in of_first if line.partition(":")[0].strip() in PROCESSOR_FACTS]


def _imported_sources(source: Path) -> set[Path]:
    """The file and the files of the package that it imports, directly or not."""
    found, waiting = {source}, [source]
    while waiting:
        new = _direct_imports(waiting.pop()) - found
        found |= new
        waiting.extend(new)
    return found


@functools.cache
def _direct_imports(source: Path) -> set[Path]:
    """The files of the package that a file imports itself."""
    package = Path(__file__).parent.parent
    found = set()
    for name, imported in IMPORTS.findall(source.read_text(encoding="utf-8")):
        if name.split(".")[0] == package.name:
            module = package.parent.joinpath(*name.split("."))
            for path in (module, *(module / word for word in re.findall(r"\w+", imported))):
                found |= {file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()}
    return found
