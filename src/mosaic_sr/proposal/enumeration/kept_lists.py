"""Lists of forms, kept in memory and on disk: a list hangs on its settings alone, and takes half a second to make."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import islice
from pathlib import Path

import numpy as np

from mosaic_sr.evidence import structure
from mosaic_sr.expressions.expression import Expression, make_expression
from mosaic_sr.kernel.code_cache import CodeCache, open_cache
from mosaic_sr.kernel.code_key import code_key
from mosaic_sr.operators import CONSTANT

Listed = tuple[float, Expression]

# Forms of a list that are kept: the first three turns of a search. Few searches need more.
MOST_FORMS = 4500
# Lists in memory, some 2 MB each, and files, at most 200 kB each; lists of one column are few, those of more many.
MOST_IN_MEMORY, MOST_FILES = 16, 200
MAKER = "lists of forms"
ARRAYS = ("bits", "codes", "slots", "constants", "ends", "is_whole")


@dataclass(frozen=True)
class KeptList:
    """The first forms of a list with their bits; is_whole: whether there are no more."""

    forms: tuple[Listed, ...] = ()
    is_whole: bool = False


_MEMORY: dict[str, KeptList] = {}


def kept(settings: Sequence[object], make: Callable[[], Iterator[Listed]]) -> Iterator[Listed]:
    """The forms of a list: those that are kept, then those that `make` goes on with.

    settings: all that the list hangs on, as plain values.
    """
    name = hashlib.sha256(repr(settings).encode()).hexdigest()[:24]
    known = _MEMORY.get(name) or _read(name)
    yield from known.forms
    if known.is_whole:
        _remember(name, known)
        return
    forms, is_whole = list(known.forms), False
    try:
        for listed in islice(make(), len(forms), None):
            if len(forms) < MOST_FORMS:
                forms.append(listed)
            yield listed
        is_whole = len(forms) < MOST_FORMS
    finally:
        found = KeptList(tuple(forms), is_whole)
        if len(forms) > len(known.forms) or is_whole:
            _write(name, found)
        _remember(name, found)


def _remember(name: str, found: KeptList) -> None:
    _MEMORY.pop(name, None)
    while len(_MEMORY) >= MOST_IN_MEMORY:
        with suppress(KeyError):  # another thread may have been faster
            del _MEMORY[next(iter(_MEMORY))]
    _MEMORY[name] = found


@cache
def _files() -> CodeCache:
    """The folder of these lists, of this state of the package and its structure prior."""
    counted = hashlib.sha256(files(structure.__package__).joinpath(structure.FILE).read_bytes()).hexdigest()[:16]
    return open_cache(f"forms-{code_key(Path(__file__).with_name('streams.py'))}-{counted}", lambda note: None)


def _read(file: str) -> KeptList:
    """The list in a file; an empty one where there is none that is whole."""
    content = _files().read(file, MAKER)
    if content is None:
        return KeptList()
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        bits, codes, slots, constants, ends, is_whole = (arrays[name] for name in ARRAYS)
    forms, num_constants = list[Listed](), np.cumsum([0, *(codes == CONSTANT)])
    for own, start, end in zip(bits.tolist(), [0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        own_constants = constants[num_constants[start] : num_constants[end]]
        forms.append((own, make_expression(codes[start:end], slots[start:end], own_constants)))
    return KeptList(tuple(forms), bool(is_whole))


def _write(name: str, found: KeptList) -> None:
    """Keep a list in a file, if there are not too many; where that cannot be, it is made again."""
    folder, laws = _files().folders[0], [law for _, law in found.forms]
    with suppress(OSError):
        if not laws or (not _files().has(name) and len(list(folder.iterdir())) >= MOST_FILES):
            return
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        bits=np.array([bits for bits, _ in found.forms]),
        codes=np.concatenate([law.codes for law in laws]),
        slots=np.concatenate([law.slots for law in laws]),
        constants=np.concatenate([law.constants for law in laws]),
        ends=np.cumsum([len(law) for law in laws]),
        is_whole=np.array(found.is_whole),
    )
    _files().write(name, buffer.getvalue(), MAKER)
