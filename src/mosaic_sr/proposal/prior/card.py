"""The card of a stored prior: the tokens and sizes of the model, checked as untrusted input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from mosaic_sr.errors import InvalidFile
from mosaic_sr.inputs import find_input
from mosaic_sr.proposal.prior.edit_language import ACTIONS, INNER, LEAVES
from mosaic_sr.proposal.prior.encoding import EncodingName
from mosaic_sr.proposal.prior.vocabulary import BEGIN, CONSTANT_TOKEN, END, HOLE_TOKEN, IDS, Tokens
from mosaic_sr.strict_json import parse_json

CARD = "card.json"
CARD_FORMAT = "mosaic-sr prior 1"
SKETCH_FORMS = ("scale-free", "literal")
MOST_BYTES = 1_000_000
# The largest sizes that are read: each about ten times those of published models of this kind.
SIZES = {"max_tokens": 256, "layers": 64, "heads": 64, "head_width": 1024}
# Keys and values of the positions of one sequence; those of a batch of a hundred take a gigabyte.
MOST_CACHED = 1 << 20
MOST_MISSING = 16
_NEEDED_TOKENS = (BEGIN, END, HOLE_TOKEN, CONSTANT_TOKEN)


@dataclass(frozen=True)
class EditCard:
    """What the edit head of a stored model speaks: its actions, the leaves and functions of new operands, its sizes."""

    actions: tuple[str, ...]
    leaves: tuple[str, ...]
    inner: tuple[str, ...]
    max_law_tokens: int
    max_missing: int


@dataclass(frozen=True)
class Card:
    """The tokens and sizes of a stored model.

    digests: the sha256 of each of its graphs.  edits: of the edit head, None in a model without one.
    """

    tokens: Tokens
    encoding: EncodingName
    is_scale_free: bool
    max_tokens: int
    layers: int
    heads: int
    head_width: int
    digests: Mapping[str, str]
    edits: EditCard | None = None


def read_card(folder: Path) -> Card:
    """The card of the model in a folder; InvalidFile where it is missing, damaged or of another kind."""
    path = folder / CARD
    try:
        content = parse_json(find_input(path).read_at_most(MOST_BYTES))
    except ValueError as error:
        raise InvalidFile(f"cannot read the model card {path}: {error}") from error
    if not isinstance(content, dict) or content.get("format") != CARD_FORMAT:
        raise InvalidFile(f"{path} is not a card of format {CARD_FORMAT!r}")
    try:
        return _card(content)
    except KeyError as error:
        raise InvalidFile(f"{path} lacks {error.args[0]}") from error
    except ValueError as error:
        raise InvalidFile(f"{path}: {error}") from error


def _card(content: Mapping[str, Any]) -> Card:
    sizes = {name: _size(content[name], name, most) for name, most in SIZES.items()}
    if (sizes["max_tokens"] + 1) * sizes["layers"] * sizes["heads"] * sizes["head_width"] > MOST_CACHED:
        raise ValueError(f"the model is too large: {sizes}")
    return Card(
        tokens=check_tokens(content["tokens"]),
        encoding=_one_of(get_args(EncodingName), content["encoding"], "encoding"),
        is_scale_free=_one_of(SKETCH_FORMS, content["sketch_form"], "sketch_form") == "scale-free",
        digests=_digests(content["sha256"]),
        edits=_edits(content["edits"]) if "edits" in content else None,
        **sizes,
    )


def _edits(content: Any) -> EditCard:
    if not isinstance(content, dict):
        raise ValueError(f"edits must be an object, got {content!r:.40}")
    words = {"actions": ACTIONS, "leaves": LEAVES, "inner": INNER}
    return EditCard(
        **{name: _known_words(content[name], known, name) for name, known in words.items()},
        max_law_tokens=_size(content["max_law_tokens"], "max_law_tokens", SIZES["max_tokens"]),
        max_missing=_size(content["max_missing"], "max_missing", MOST_MISSING),
    )


def _known_words(value: Any, known: tuple[str, ...], label: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or len(set(map(str, value))) < len(value):
        raise ValueError(f"{label} must be a list of distinct strings, got {value!r:.40}")
    unknown = [word for word in value if word not in known]
    if unknown:
        raise ValueError(f"this version does not know {unknown[0]!r:.40} of {label}; update mosaic-sr")
    return tuple(value)


def check_tokens(tokens: Any) -> Tokens:
    """The tokens of a stored model; ValueError when this package cannot read them."""
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"tokens must be a list of strings, got {tokens!r:.40}")
    unknown = [token for token in tokens if token not in IDS]
    if unknown:
        raise ValueError(f"this version does not know the tokens {', '.join(unknown[:5]):.100}; update mosaic-sr")
    missing = [token for token in _NEEDED_TOKENS if token not in tokens]
    if missing or len(set(tokens)) < len(tokens):
        raise ValueError(f"a token occurs twice, or one of these is missing: {', '.join(_NEEDED_TOKENS)}")
    return tuple(tokens)


def _digests(content: Any) -> dict[str, str]:
    if not isinstance(content, dict) or not all(isinstance(digest, str) for digest in content.values()):
        raise ValueError(f"sha256 must have the digest of each graph, got {content!r:.40}")
    return content


def _size(value: Any, label: str, most: int) -> int:
    if type(value) is not int or not 1 <= value <= most:
        raise ValueError(f"{label} must be an integer in 1..{most}, got {value!r:.40}")
    return value


def _one_of(words: tuple[Any, ...], value: Any, label: str) -> Any:
    if value not in words:
        raise ValueError(f"{label} must be {' or '.join(words)}, got {value!r:.40}")
    return value
