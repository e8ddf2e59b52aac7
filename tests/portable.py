"""Runs tests as other processors would round: `make portable`.

One line for each setting of numpy, OpenBLAS, numba and libm says what came out; those that this machine cannot run are
named too. All arguments go to pytest.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# What the libraries say about themselves, as the tests of a setting find them.
PROBE = """
import json, platform
import llvmlite.binding, numba, numpy, scipy.linalg, threadpoolctl
blas = {each.get("architecture", each["internal_api"]) for each in threadpoolctl.threadpool_info()}
print(json.dumps({
    "system": platform.system(),
    "machine": platform.machine(),
    "features": numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", []),
    "blas": sorted(blas),
    "compiler": numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(),
}))
"""
# OpenBLAS's names of cores, with what numpy calls the instructions that they need.
CORES = {"Nehalem": "", "Haswell": "X86_V3 AVX2", "SkylakeX": "X86_V4 AVX512_SKX"}
# Of glibc, whose functions are rounded otherwise without them.
NO_FUSED_LIBM = "glibc.cpu.hwcaps=-AVX2,-FMA"


@dataclass(frozen=True)
class Processor:
    """features: numpy's names of the instructions that it uses here and can do without."""

    system: str
    machine: str
    features: tuple[str, ...]
    blas: tuple[str, ...]
    compiler: str

    @property
    def is_x86(self) -> bool:
        """Whether OpenBLAS's cores and glibc's switches below mean anything."""
        return self.machine.lower() in ("x86_64", "amd64")

    @property
    def widest(self) -> tuple[str, ...]:
        """The features that belong to AVX-512."""
        return tuple(name for name in self.features if name.startswith(("AVX512", "X86_V4")))

    def can_run(self, core: str) -> bool:
        """Whether OpenBLAS's code for a core runs here."""
        needed = CORES[core].split()
        return self.is_x86 and (not needed or any(name in self.features for name in needed))

    def __str__(self) -> str:
        features = " ".join(self.features) or "its baseline"
        return f"numpy with {features}; {', '.join(self.blas)}; numba for {self.compiler}"


@dataclass(frozen=True)
class Setting:
    """obstacle: why this machine cannot run it, if it cannot."""

    name: str
    environment: Mapping[str, str]
    obstacle: str = ""


def look_at_processor(environment: Mapping[str, str]) -> Processor:
    """What the libraries use under some environment variables."""
    command = [sys.executable, "-c", PROBE]
    said = subprocess.run(command, env={**os.environ, **environment}, check=True, capture_output=True, text=True).stdout
    facts = json.loads(said)
    return Processor(**{key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()})


def settings_for(here: Processor) -> list[Setting]:
    """All settings, from what the machine does by itself to another machine as a whole."""
    narrow = {"NPY_DISABLE_CPU_FEATURES": " ".join(here.widest)}
    bare = {"NPY_DISABLE_CPU_FEATURES": " ".join(here.features)}
    generic = {"NUMBA_CPU_NAME": "generic"}
    old_libm = {"GLIBC_TUNABLES": NO_FUSED_LIBM} if here.is_x86 and here.system == "Linux" else {}
    old_blas = {"OPENBLAS_CORETYPE": "Nehalem"} if here.is_x86 else {}
    other_maker = {"NUMBA_CPU_NAME": "skylake-avx512" if here.compiler.startswith("znver") else "znver4"}
    other_blas = {"OPENBLAS_CORETYPE": "Haswell"} if here.can_run("Haswell") else {}
    return [
        Setting("this machine", {}),
        Setting("numpy without AVX-512", narrow, "" if here.widest else "the processor has none"),
        Setting("numpy without AVX2", bare, "" if here.features else "numpy uses its baseline alone"),
        *(_blas_setting(core, here) for core in CORES),
        Setting("numba for any processor", generic),
        Setting("an old processor", {**bare, **old_blas, **generic, **old_libm}),
        Setting(
            "another maker's processor", {**narrow, **other_blas, **other_maker}, "" if here.is_x86 else "it is no x86"
        ),
    ]


def _blas_setting(core: str, here: Processor) -> Setting:
    if here.blas == (core,):
        obstacle = "this machine uses it"
    else:
        obstacle = "" if here.can_run(core) else "the processor lacks its instructions"
    return Setting(f"OpenBLAS for {core}", {"OPENBLAS_CORETYPE": core}, obstacle)


def run(setting: Setting, here: Processor, arguments: Sequence[str], log: Path) -> bool:
    """Run the tests under a setting, print its line, and say whether they passed."""
    if setting.obstacle:
        print(f"skipped  {setting.name}: {setting.obstacle}", flush=True)
        return True
    there = look_at_processor(setting.environment)
    if setting.environment and there == here:
        print(f"failed   {setting.name}: {dict(setting.environment)} change nothing", flush=True)
        return False
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    with log.open("w") as written:
        environment = {**os.environ, **setting.environment}
        code = subprocess.run(command, env=environment, stdout=written, stderr=subprocess.STDOUT).returncode
    said, minutes = log.read_text(), (time.monotonic() - started) / 60.0
    counts = re.findall(r"^\d+ (?:passed|failed|error).*?(?= in [\d.]+s)", said, re.MULTILINE) or ["no count"]
    print(f"{'failed' if code else 'passed'}   {setting.name}: {counts[-1]}, {minutes:.0f} min ({there})", flush=True)
    if code:
        print(*re.findall(r"^(?:FAILED|ERROR) .*", said, re.MULTILINE), f"see {log}", sep="\n", flush=True)
    return code == 0


def main() -> int:
    """Run all settings; 1 if tests failed under one of them."""
    logs, here = Path(tempfile.mkdtemp(prefix="portable-")), look_at_processor({})
    passed = [
        run(setting, here, sys.argv[1:], logs / f"{number}.log") for number, setting in enumerate(settings_for(here))
    ]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
