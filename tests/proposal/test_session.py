"""Stored models that are missing, damaged or foreign."""

import json
from pathlib import Path

import pytest

from mosaic_sr.errors import InvalidFile
from mosaic_sr.proposal.prior.session import CARD_FORMAT, load_session
from mosaic_sr.proposal.prior.vocabulary import TOKENS


def card(**changes: object) -> dict[str, object]:
    """A card that fits no graph."""
    sizes = {"max_tokens": 10, "layers": 1, "heads": 1, "head_width": 4}
    digests = {"encoder.onnx": "0", "step.onnx": "0"}
    content = {"format": CARD_FORMAT, "tokens": list(TOKENS), "encoding": "scaled", "sketch_form": "scale-free"}
    return content | sizes | {"sha256": digests} | changes


def write(folder: Path, content: object) -> Path:
    (folder / "card.json").write_text(json.dumps(content))
    return folder


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot read the model card"):
        load_session(tmp_path / "nowhere")


def test_a_card_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="not a card of format"):
        load_session(write(tmp_path, {"format": "other"}))


def test_a_card_without_tokens_is_refused(tmp_path: Path) -> None:
    content = card()
    del content["tokens"]
    with pytest.raises(InvalidFile, match="lacks tokens"):
        load_session(write(tmp_path, content))


def test_a_missing_graph_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"encoder\.onnx"):
        load_session(write(tmp_path, card()))


def test_a_damaged_graph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "encoder.onnx").write_bytes(b"something else")
    with pytest.raises(InvalidFile, match="sha256 differs"):
        load_session(write(tmp_path, card()))
