"""A run's folder: front and law for people, the state for going on; each file is replaced as a whole."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from mosaic_sr import __version__
from mosaic_sr.described import describe, rebuilt
from mosaic_sr.errors import InvalidFile, InvalidSettings
from mosaic_sr.files import refuse_unwritable, write_atomically
from mosaic_sr.inputs import find_input
from mosaic_sr.law_file import write_law
from mosaic_sr.operators import NAMES
from mosaic_sr.outcome import Outcome
from mosaic_sr.pipeline import SearchConfig, Snapshot
from mosaic_sr.refinement import RefinementConfig
from mosaic_sr.refinement.packing import pack_paths, unpack_paths
from mosaic_sr.report import write_front
from mosaic_sr.state_file import MOST_BYTES, Arrays, from_bytes, to_bytes
from mosaic_sr.strict_json import parse_json
from mosaic_sr.table import Table

STATE, LAW, FRONT = "state.npz", "law.json", "front.csv"
FORMAT = "mosaic-sr state 2"
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
        for array in (rows.columns, rows.target, rows.weights, *([rows.sigma] if rows.has_sigma else [])):
            digest.update(repr(array.shape).encode() + np.ascontiguousarray(array).data)
    for own in (table.training, table.validation, *([table.censored.rows] if table.censored else [])):
        digest.update(b"" if not own.has_x_sigma else np.ascontiguousarray(own.x_sigma).data)
    if table.censored is not None:
        for array in (table.censored.rows.columns, table.censored.rows.target, table.censored.sides):
            digest.update(np.ascontiguousarray(array).data)
    digest.update(repr((table.names, table.used, table.column_exponents, table.target_exponent)).encode())
    return Identity(digest.hexdigest(), blake2b(_described(config).encode(), digest_size=16).hexdigest(), seeds)


def _described(config: SearchConfig) -> str:
    """The settings as text, without budgets; weights by what they are, because a package may be installed anywhere."""
    settings = asdict(replace(config, max_evaluations=1))
    settings["proposal"]["prior"]["weights"] = config.proposal.prior.digests
    return json.dumps(settings, default=repr, sort_keys=True)


@dataclass(frozen=True)
class Kept:
    """What a state says besides the arrays of its paths; snapshot: as it is described, None where there was none."""

    identity: Identity
    is_finished: bool
    snapshot: dict[str, Any] | None


class RunFolder:
    """The folder of one search, made when its state is first written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def has_state(self) -> bool:
        return (self.path / STATE).exists()

    def write_state(self, identity: Identity, snapshot: Snapshot | None, is_finished: bool) -> None:
        """Keep where the search stands; without a snapshot only whose folder this is."""
        described = None if snapshot is None else describe(replace(snapshot, paths=None))
        head = {"format": FORMAT, "identity": describe(identity), "is_finished": is_finished, "snapshot": described}
        arrays = {} if snapshot is None or snapshot.paths is None else pack_paths(snapshot.paths)
        self.make()
        write_atomically(self.path / STATE, to_bytes(json.dumps(head), arrays))

    def write_law(self, outcome: Outcome, settings: Mapping[str, Any]) -> None:
        """Write the law and the front for people."""
        write_law(self.path / LAW, outcome, settings)
        write_front(self.path / FRONT, outcome.front)

    def make(self) -> None:
        """Make the folder where it is missing; refuse one whose files cannot be written."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise InvalidFile(f"{self.path} is a file; give a folder") from error
        except OSError as error:
            raise InvalidFile(f"cannot create the folder {self.path}: {error.strerror}") from error
        for name in (STATE, LAW, FRONT):
            refuse_unwritable(self.path / name)

    def is_cut_off(self, identity: Identity) -> bool:
        """Whether this very search was kept here and has not finished; a state that cannot be read is nobody's."""
        try:
            kept = self.read_kept()
        except InvalidFile:
            return False
        return not kept.is_finished and kept.identity == identity

    def refusal(self, way_on: str) -> InvalidSettings:
        """The error for who would replace a search that was cut off."""
        return InvalidSettings(f"{self.path} has an interrupted search; resume it with {way_on}, or empty the folder")

    def read_kept(self) -> Kept:
        """Whose folder this is, and whether its search has finished."""
        return self._read()[0]

    def read_snapshot(self, identity: Identity, table: Table, refinement: RefinementConfig) -> Snapshot | None:
        """The last snapshot, None where there was none; without paths before the first round of refinement."""
        kept, arrays = self._read()
        if others := _other_parts(kept.identity, identity):
            words = ", ".join(PARTS[part] for part in others)
            raise InvalidFile(
                f"cannot resume the search in {self.path}: it was made with {words}; use the same, or a new folder"
            )
        if kept.snapshot is None:
            return None
        try:
            snapshot = rebuilt(Snapshot, kept.snapshot, table.names)
            paths = unpack_paths(arrays, refinement, table.num_columns) if arrays else None
        except ValueError as error:
            raise self._damaged(error) from error
        return replace(snapshot, paths=paths)

    def _read(self) -> tuple[Kept, Arrays]:
        if not self.has_state:
            raise InvalidFile(f"{self.path} has no search to resume")
        content = find_input(self.path / STATE).read_at_most(MOST_BYTES)
        try:
            text, arrays = from_bytes(content)
            head = parse_json(text)
        except ValueError as error:
            raise self._damaged(error) from error
        if not isinstance(head, dict) or head.pop("format", None) != FORMAT:
            raise InvalidFile(f"another release of mosaic-sr wrote {self.path / STATE}; use a new folder")
        try:
            return rebuilt(Kept, head, ()), arrays
        except ValueError as error:
            raise self._damaged(error) from error

    def _damaged(self, error: ValueError) -> InvalidFile:
        return InvalidFile(f"{self.path / STATE} is damaged: {str(error).splitlines()[0]}; use a new folder")


def _other_parts(kept: Identity, identity: Identity) -> list[str]:
    """The parts of the identity in which a kept search is another one."""
    others = [part for part in PARTS if getattr(kept, part) != getattr(identity, part)]
    # The seed decides which rows are for training, so that under another one no table looks the same.
    return [part for part in others if part != "table"] if "seeds" in others else others
