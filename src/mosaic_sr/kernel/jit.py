"""The only importer of numba: `compiled` turns a function into nogil machine code kept in one cache folder."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def _cache_folder() -> Path:
    """A folder per state of all compiled sources: numba's own cache does not see edits in other files."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        text = source.read_bytes()
        if b"kernel.jit" in text or source.parent.name == "kernel" or source.name == "operators.py":
            digest.update(source.name.encode() + text)
    root = os.environ.get("MOSAIC_CACHE_DIR") or Path.home() / ".cache" / "mosaic-sr"
    folder = Path(root) / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"mosaic-sr-{os.getuid()}" / digest.hexdigest()[:16]
        folder.mkdir(parents=True, exist_ok=True)
    return folder


os.environ["NUMBA_CACHE_DIR"] = str(_cache_folder())

import numba  # noqa: E402

# Sums of residuals may be reassociated so that they vectorise; NaN and infinity always keep their meaning.
REASSOCIATE = {"reassoc", "contract", "nsz", "arcp"}


def compiled(
    signature: str | list[str] | None = None, *, reassociate: bool = False, inline: str = "never"
) -> Callable[[Function], Function]:
    """Decorator: compile to machine code that releases the GIL, cached on disk."""
    fastmath: Any = REASSOCIATE if reassociate else False
    options: dict[str, Any] = {"nogil": True, "cache": True, "fastmath": fastmath, "error_model": "numpy"}
    if inline != "never":
        options["inline"] = inline

    def decorate(function: Function) -> Function:
        arguments = () if signature is None else (signature,)
        decorated: Function = numba.njit(*arguments, **options)(function)
        return decorated

    return decorate
