"""The key of machine code: it follows the sources, numba, Python and the processor."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

from mosaic_sr.kernel import code_key

SOURCE = Path(code_key.__file__)


@pytest.fixture
def key():
    """A function that makes the key anew each time."""

    def make() -> str:
        code_key._place.cache_clear()
        return code_key.code_key.__wrapped__(SOURCE)

    yield make
    code_key._place.cache_clear()


def test_the_key_follows_imports():
    sources = {path.name for path in code_key._imported_sources(SOURCE.with_name("evaluate.py"))}
    assert {"evaluate.py", "_dispatch.py", "elementary.py", "power.py", "workspace.py", "operators.py"} <= sources


@pytest.mark.parametrize("setting", ["CPU_NAME", "CPU_FEATURES"])
def test_code_for_another_target_has_another_key(setting: str, key, monkeypatch: pytest.MonkeyPatch):
    keys = set()
    for value in ("generic", "other", ""):
        monkeypatch.setenv(f"NUMBA_{setting}", value)
        keys.add(key())
    assert len(keys) == 3


@pytest.mark.parametrize("other", ["sys.version", "platform.machine", "_processor"])
def test_another_python_or_processor_has_another_key(other: str, key, monkeypatch: pytest.MonkeyPatch):
    before = key()
    assert key() == before
    with monkeypatch.context() as changed:
        changed.setattr(f"mosaic_sr.kernel.code_key.{other}", "other" if other == "sys.version" else lambda: "other")
        assert key() != before
    assert key() == before


def test_the_key_follows_numba():
    assert f"numba-{metadata.version('numba')}" in code_key._place()


def test_a_file_that_has_moved_to_another_folder_has_another_key(tmp_path):
    keys = []
    for folder in ("pairs", "sums"):
        (tmp_path / folder).mkdir()
        source = tmp_path / folder / "meeting.py"
        source.write_text("value = 1\n")
        keys.append(code_key.code_key(source))
    assert keys[0] != keys[1]
