"""Where a figure comes from: the state of the code, and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any


def find_commit() -> str:
    """The commit, marked when tracked files differ from it."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    try:
        answer = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unknown"
    return answer.stdout.strip() or "unknown"


def this_machine(cores_per_run: int) -> dict[str, Any]:
    """The machine of this process, and how many of its cores a run may use."""
    python = platform.python_version()
    return {"cpu": _cpu_name(), "cores": num_cores(), "cores_per_run": cores_per_run, "python": python}


def num_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@lru_cache(maxsize=1)
def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
