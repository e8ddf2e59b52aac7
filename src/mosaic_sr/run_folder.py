"""A run's folder: front and law for people, the state for going on; each file is replaced as a whole."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from mosaic_sr import __version__
from mosaic_sr.equation import Equation, Errors
from mosaic_sr.errors import InvalidFile, InvalidSettings, MosaicError
from mosaic_sr.exactness import Closeness
from mosaic_sr.expressions.text import parse
from mosaic_sr.files import refuse_unwritable, write_atomically
from mosaic_sr.front import Front
from mosaic_sr.operators import NAMES
from mosaic_sr.pipeline import SearchConfig, Snapshot
from mosaic_sr.refinement.packing import pack_paths, unpack_paths
from mosaic_sr.table import Table

STATE, LAW, FRONT = "state.npz", "law.json", "front.csv"
FORMAT = "mosaic-sr state 1"
# What each part of an identity is called when it does not fit.
PARTS = {
    "table": "another table",
    "settings": "other settings",
    "seeds": "another seed",
    "release": "another release of mosaic-sr",
}


@dataclass(frozen=True)
class Identity:
    """What a state belongs to; it can be gone on from only where all of it is the same.

    Budgets and the number of threads are no part of it, because they do not change the rounds.
    """

    table: str
    settings: str
    seeds: tuple[int, ...]
    release: str = f"{__version__} {','.join(NAMES)}"


def identify(table: Table, config: SearchConfig, seeds: tuple[int, ...]) -> Identity:
    """The identity of a search."""
    digest = blake2b(digest_size=16)
    for rows in (table.training, table.validation):
        for array in (rows.columns, rows.target, rows.weights):
            digest.update(repr(array.shape).encode() + np.ascontiguousarray(array).data)
    digest.update(repr((table.names, table.used, table.column_exponents, table.target_exponent)).encode())
    return Identity(digest.hexdigest(), blake2b(_described(config).encode(), digest_size=16).hexdigest(), seeds)


def _described(config: SearchConfig) -> str:
    """The settings as text, without budgets; weights by what they are, because a package may be installed anywhere."""
    settings = asdict(replace(config, max_evaluations=1))
    settings["proposal"]["prior"]["weights"] = config.proposal.prior.digests
    return json.dumps(settings, default=repr, sort_keys=True)


class RunFolder:
    """The folder of one search, made when its state is first written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def has_state(self) -> bool:
        return (self.path / STATE).exists()

    def write_state(self, identity: Identity, snapshot: Snapshot | None, is_finished: bool) -> None:
        """Keep where the search stands; without a snapshot only whose folder this is."""
        head: dict[str, Any] = {"format": FORMAT, **asdict(identity), "is_finished": is_finished, "snapshot": None}
        arrays = {}
        if snapshot is not None:
            head["snapshot"] = _describe_snapshot(snapshot)
            arrays = {} if snapshot.paths is None else pack_paths(snapshot.paths)
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, head=np.array(json.dumps(head)), **arrays)
        self.make()
        write_atomically(self.path / STATE, buffer.getvalue())

    def make(self) -> None:
        """Make the folder where it is missing; refuse one whose files cannot be written."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise InvalidFile(f"{self.path} is a file; name a folder") from error
        except OSError as error:
            raise InvalidFile(f"cannot make the folder {self.path}: {error.strerror}") from error
        for name in (STATE, LAW, FRONT):
            refuse_unwritable(self.path / name)

    def is_cut_off(self, identity: Identity) -> bool:
        """Whether this very search was kept here and has not finished; a state that cannot be read is nobody's."""
        try:
            head = self.read_head()
        except InvalidFile:
            return False
        return not head["is_finished"] and not _other_parts(head, identity)

    def refusal(self, way_on: str) -> InvalidSettings:
        """The error for who would replace a search that was cut off."""
        return InvalidSettings(f"{self.path} holds a search that was cut off; go on with {way_on}, or empty it")

    def read_head(self) -> dict[str, Any]:
        """Whose folder this is: the parts of its identity, and whether its search has finished."""
        with self._opened() as state:
            return self._head(state)

    def read_seeds(self) -> tuple[int, ...]:
        """The seeds of the search that is kept here."""
        seeds = self.read_head().get("seeds")
        if not isinstance(seeds, list) or not all(isinstance(seed, int) for seed in seeds):
            raise self._damaged(TypeError())
        return tuple(seeds)

    def read_snapshot(self, identity: Identity, table: Table) -> Snapshot | None:
        """The last snapshot, None where there was none; without paths before the first round of refinement."""
        with self._opened() as state:
            head = self._head(state)
            if others := _other_parts(head, identity):
                words = ", ".join(PARTS[part] for part in others)
                raise InvalidFile(f"{self.path} holds a search of {words}; resume it with its own, or use a new folder")
            if head["snapshot"] is None:
                return None
            try:
                snapshot = _snapshot(head["snapshot"], table)
                arrays = {name: state[name] for name in state.files if name != "head"}
                return replace(snapshot, paths=unpack_paths(arrays)) if arrays else snapshot
            except (KeyError, ValueError, TypeError, IndexError, EOFError, zipfile.BadZipFile, MosaicError) as error:
                raise self._damaged(error) from error

    def _opened(self) -> Any:
        try:
            state = np.load(io.BytesIO((self.path / STATE).read_bytes()), allow_pickle=False)
        except FileNotFoundError as error:
            raise InvalidFile(f"{self.path} holds no search") from error
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise self._damaged(error) from error
        if not isinstance(state, np.lib.npyio.NpzFile):
            raise self._damaged(TypeError())
        return state

    def _head(self, state: Any) -> dict[str, Any]:
        try:
            head = json.loads(str(state["head"]))
        except (KeyError, ValueError, TypeError, IndexError, EOFError, zipfile.BadZipFile) as error:
            raise self._damaged(error) from error
        if not isinstance(head, dict) or head.get("format") != FORMAT:
            raise InvalidFile(f"{self.path / STATE} is of another release of mosaic-sr; use a new folder")
        return head

    def _damaged(self, error: Exception) -> InvalidFile:
        return InvalidFile(f"{self.path / STATE} is damaged ({type(error).__name__}); use a new folder")


def _other_parts(head: dict[str, Any], identity: Identity) -> list[str]:
    """The parts of the identity in which a kept search is another one."""
    kept = {part: tuple(value) if isinstance(value := head.get(part), list) else value for part in PARTS}
    others = [part for part in PARTS if kept[part] != getattr(identity, part)]
    # The seed decides which rows are for training, so that under another one no table looks the same.
    return [part for part in others if part != "table"] if "seeds" in others else others


def _describe_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """All but the paths, which are arrays."""
    return {field.name: _describe(getattr(snapshot, field.name)) for field in fields(snapshot) if field.name != "paths"}


def _describe(value: Any) -> Any:
    """Plain values with all digits of all numbers, because later rounds compare with them."""
    if isinstance(value, Equation):
        described = {field.name: _describe(getattr(value, field.name)) for field in fields(value)}
        return {**described, "expression": value.text(), "names": None}
    if is_dataclass(value):
        return {field.name: _describe(getattr(value, field.name)) for field in fields(value)}
    return [_describe(item) for item in value] if isinstance(value, tuple) else value


def _snapshot(entry: dict[str, Any], table: Table) -> Snapshot:
    law = None if entry["law"] is None else _equation(entry["law"], table)
    fronts = {name: _front(entry[name], table) for name in ("candidates", "front")}
    return Snapshot(**{**entry, **fronts, "law": law, "notes": tuple(entry["notes"])})


def _front(entry: dict[str, Any], table: Table) -> Front:
    return Front(**{**entry, "equations": tuple(_equation(line, table) for line in entry["equations"])})


def _equation(entry: dict[str, Any], table: Table) -> Equation:
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    values |= {name: Errors(**entry[name]) for name in ("training", "validation")}
    values |= {"expression": parse(entry["expression"], table.names), "names": table.names}
    values |= {"ties": tuple(_equation(tie, table) for tie in entry["ties"])}
    values |= {"closeness": Closeness(entry["closeness"])}
    return Equation(**values)
