"""Stored models that are missing, damaged or foreign."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from mosaic_sr.errors import InvalidFile
from mosaic_sr.proposal.prior.card import CARD_FORMAT, read_card
from mosaic_sr.proposal.prior.session import GRAPHS, SHIPPED, load_session
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


def copied(folder: Path, **changes: object) -> Path:
    """The shipped model with a changed card."""
    for file in SHIPPED.iterdir():
        shutil.copy(file, folder)
    return write(folder, json.loads((SHIPPED / "card.json").read_text()) | changes)


def with_graph(folder: Path, name: str, content: bytes) -> Path:
    """The shipped model with another graph, and a card that knows it."""
    digests = json.loads((SHIPPED / "card.json").read_text())["sha256"]
    copied(folder, sha256={**digests, name: hashlib.sha256(content).hexdigest()})
    (folder / name).write_bytes(content)
    return folder


def test_a_model_with_fewer_operators_is_read(tmp_path: Path) -> None:
    fewer = [token for token in TOKENS if token != "cosh"]
    assert read_card(write(tmp_path, card(tokens=fewer))).tokens == tuple(fewer)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": [*TOKENS, "zeta"]}, "zeta"),
        ({"tokens": [*TOKENS, "sin"]}, "twice"),
        ({"tokens": ["sin"]}, "is missing"),
        ({"tokens": "sin"}, "tokens must be"),
        ({"tokens": [1, 2]}, "tokens must be"),
        ({"tokens": {"a": 1}}, "tokens must be"),
        ({"encoding": "other"}, "encoding must be"),
        ({"encoding": []}, "encoding must be"),
        ({"sketch_form": 5}, "sketch_form must be"),
        ({"max_tokens": 10**12}, "max_tokens must be"),
        ({"max_tokens": "30"}, "max_tokens must be"),
        ({"max_tokens": 0}, "max_tokens must be"),
        ({"layers": -1}, "layers must be"),
        ({"heads": True}, "heads must be"),
        ({"head_width": 1e3}, "head_width must be"),
        ({"max_tokens": 256, "layers": 64, "heads": 64, "head_width": 1024}, "too large"),
        ({"sha256": []}, "sha256 must"),
        ({"sha256": {"step.onnx": 5}}, "sha256 must"),
    ],
)
def test_a_card_with_a_field_of_another_kind_is_refused(
    changes: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidFile, match=message):
        load_session(write(tmp_path, card(**changes)))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a": ' * 500 + "1" + "}" * 500, "", "\x00", "[1", '{"a": NaN}', "\udcff"]
)
def test_a_card_that_is_no_plain_json_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "card.json").write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(InvalidFile, match="cannot read the model card"):
        load_session(tmp_path)


def test_a_card_and_a_graph_that_are_too_large_are_refused_unread(tmp_path: Path) -> None:
    copied(tmp_path)
    for name in ("encoder.onnx", "card.json"):
        with (tmp_path / name).open("wb") as sparse:
            sparse.truncate(1 << 30)
        with pytest.raises(InvalidFile, match="too large"):
            load_session(tmp_path)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("damage", ["nothing", "noise", "half", "other", "no text"])
def test_a_graph_that_onnxruntime_cannot_use_is_refused(
    name: str, damage: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    own = (SHIPPED / name).read_bytes()
    (other,) = ((SHIPPED / graph).read_bytes() for graph in GRAPHS if graph != name)
    damages = {"nothing": b"", "noise": bytes(range(256)) * 9, "half": own[: len(own) // 2], "other": other}
    content = (damages | {"no text": own.replace(b"Transpose", b"Transp\xbcse")})[damage]
    with pytest.raises(InvalidFile, match="cannot be used"):
        load_session(with_graph(tmp_path, name, content))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("size", [{"layers": 4}, {"heads": 4}, {"head_width": 8}, {"max_tokens": 200}])
def test_graphs_of_other_sizes_than_the_card_says_are_refused(size: dict[str, int], tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be used"):
        load_session(copied(tmp_path, **size))


def test_graphs_of_other_tokens_than_the_card_says_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match="cannot be used"):
        load_session(copied(tmp_path, tokens=[token for token in TOKENS if token != "x9"]))
