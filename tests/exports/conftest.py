"""The tests of this folder share helpers with those of the kernel and of expressions."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / room) for room in ("expressions", "kernel")]
