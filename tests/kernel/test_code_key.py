"""The key of machine code: it follows the sources, numba, Python and the processor."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path

import pytest

import mosaic_sr.search  # noqa: F401  it imports all compiled code
from mosaic_sr.kernel import code_key
from mosaic_sr.kernel.jit import ENTRY_POINTS

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


def test_imports_over_several_lines_and_inside_functions_count(tmp_path):
    source = tmp_path / "source.py"
    source.write_text(
        "def read():\n    from mosaic_sr.kernel.power import raised\n"
        "from mosaic_sr.kernel import (\n    jit,  # a reason\n    evaluate as evaluating,\n)\n"
    )
    assert {path.name for path in code_key._direct_imports(source)} == {
        "power.py",
        "jit.py",
        "evaluate.py",
        "__init__.py",
    }


def test_machine_code_depends_on_few_files():
    """Each change of such a file makes users compile again, and each file is read before every search."""
    package = SOURCE.parent.parent
    sources = {Path(entry.py_func.__code__.co_filename) for entry in ENTRY_POINTS}
    sources = {source for source in sources if source.is_relative_to(package)}  # tests compile functions of their own
    most = max(sources, key=lambda source: len(code_key._imported_sources(source)))
    assert len(code_key._imported_sources(most)) <= 50, most.name


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
