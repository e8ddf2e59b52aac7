"""The cache on disk: whose folders it trusts, and files that are damaged or cannot be written."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from kernel_reference import IS_COMPILED

from mosaic_sr.kernel import code_cache
from mosaic_sr.kernel.code_cache import CodeCache, open_cache

needs_compiler = pytest.mark.skipif(not IS_COMPILED, reason="compilation is switched off")
needs_owners = pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
KEY = "0123456789abcdef"


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The user's cache and the temporary directory, both empty."""
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    code_cache._temporary_root.cache_clear()
    yield tmp_path / "cache", tmp_path / "tmp"
    code_cache._temporary_root.cache_clear()


@pytest.fixture
def notes():
    return []


def folders(notes) -> tuple[Path, ...]:
    return open_cache(KEY, notes.append).folders


def nothing_can_be_written_to(root: Path, monkeypatch) -> None:
    """Even a folder without the right to write is open to the superuser."""
    may = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: root not in Path(path).parents and may(path, mode))


def test_what_is_written_is_read(tmp_path: Path):
    cache = CodeCache((tmp_path,))
    assert cache.write("name", b"code", "maker") == ""
    assert cache.read("name", "maker") == b"code"
    assert cache.read("name", "another maker") is None
    assert [file.name for file in tmp_path.iterdir()] == ["name"]


DAMAGES = {
    "empty": lambda content: b"",
    "zeros": lambda content: bytes(len(content)),
    "cut": lambda content: content[:-1],
    "cut to the checksum": lambda content: content[:32],
    "one bit": lambda content: content[:40] + bytes([content[40] ^ 1]) + content[41:],
    "another pickle": lambda content: b"\x80\x04K\x01.",
    "longer": lambda content: content + b"x",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_no_file(damage, tmp_path: Path):
    cache = CodeCache((tmp_path,))
    cache.write("name", b"a few bytes of machine code", "maker")
    (tmp_path / "name").write_bytes(damage((tmp_path / "name").read_bytes()))
    assert cache.read("name", "maker") is None


def test_who_comes_second_waits_for_the_first(tmp_path: Path):
    order = []
    cache = CodeCache((tmp_path,))

    def come_second() -> None:
        with cache.alone("entry"):
            order.append("second")

    other = threading.Thread(target=come_second)
    with cache.alone("entry"):
        other.start()
        time.sleep(0.1)
        order.append("first")
    other.join()
    assert order == ["first", "second"]


@needs_owners
def test_new_folders_are_closed_to_others(places, notes):
    root, _ = places
    before = os.umask(0)
    try:
        assert folders(notes) == (root / KEY,)
    finally:
        os.umask(before)
    assert [folder.stat().st_mode & 0o777 for folder in (root, root / KEY)] == [0o700, 0o700]
    assert notes == []


@needs_owners
@pytest.mark.parametrize("mode", [0o775, 0o757])
@pytest.mark.parametrize("place", [".", KEY])
def test_a_cache_that_others_can_write_is_not_read(place, mode, places, notes):
    root, temporary = places
    folders(notes)
    (root / place).chmod(mode)
    assert folders(notes) == (temporary / f"mosaic-sr-{os.getuid()}" / KEY,)
    assert len(notes) == 1
    assert "chmod" in notes[0]


@needs_owners
def test_a_cache_of_another_user_is_not_read(places, notes, monkeypatch):
    root, _ = places
    folders(notes)
    owner = os.getuid()
    monkeypatch.setattr(code_cache, "SUPERUSER", owner + 2)
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    (folder,) = folders(notes)
    assert root not in folder.parents


@needs_owners
def test_code_that_the_superuser_has_compiled_is_read_where_nothing_can_be_written(places, notes, monkeypatch):
    root, temporary = places
    CodeCache(folders(notes)).write("name", b"code", "maker")
    nothing_can_be_written_to(root, monkeypatch)
    cache = open_cache(KEY, notes.append)
    assert temporary in cache.folders[0].parents
    assert cache.read("name", "maker") == b"code"
    assert notes == []


def plant_folder(shared: Path) -> None:
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)


def plant_link(shared: Path) -> None:
    (shared.parent / "elsewhere").mkdir(mode=0o700)
    shared.symlink_to("elsewhere")


def plant_file(shared: Path) -> None:
    shared.write_text("")


@needs_owners
@pytest.mark.parametrize("plant", [plant_folder, plant_link, plant_file])
def test_a_planted_folder_in_the_temporary_directory_is_not_used(plant, places, notes, monkeypatch):
    root, temporary = places
    root.write_text("a file in place of the folder")
    shared = temporary / f"mosaic-sr-{os.getuid()}"
    plant(shared)
    (folder,) = folders(notes)
    assert temporary in folder.parents
    assert shared not in folder.parents
    assert folder.resolve() == folder
    assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert len(notes) == 1
    assert folders(notes) == (folder,)  # one per process
    code_cache._remove(folder.parent, os.getpid() + 1)
    assert folder.exists()
    code_cache._remove(folder.parent, os.getpid())
    assert not folder.exists()


@needs_owners
def test_our_own_folder_in_the_temporary_directory_is_closed_to_others(places, notes):
    root, temporary = places
    root.write_text("")
    shared = temporary / f"mosaic-sr-{os.getuid()}"
    shared.mkdir()
    shared.chmod(0o755)
    assert folders(notes) == (shared / KEY,)
    assert shared.stat().st_mode & 0o777 == 0o700
    assert notes == []


@needs_owners
def test_a_folder_of_another_user_in_the_temporary_directory_is_not_used(places, notes, monkeypatch):
    root, temporary = places
    root.write_text("")
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    (temporary / f"mosaic-sr-{owner + 1}").mkdir(mode=0o700)
    (folder,) = folders(notes)
    assert temporary / f"mosaic-sr-{owner + 1}" not in folder.parents


@needs_owners
def test_a_cache_in_a_folder_that_anybody_can_rename_is_not_read(places, notes, monkeypatch, tmp_path: Path):
    _, temporary = places
    open_place = tmp_path / "open"
    open_place.mkdir()
    open_place.chmod(0o777)
    monkeypatch.setenv("MOSAIC_CACHE_DIR", str(open_place / "cache"))
    assert temporary in folders(notes)[0].parents
    open_place.chmod(0o1777)  # as /tmp: only owners rename
    assert folders(notes) == (open_place / "cache" / KEY,)


def test_without_any_folder_nothing_is_kept(places, notes, monkeypatch):
    root, temporary = places
    root.write_text("")
    temporary.rmdir()
    temporary.write_text("")
    cache = open_cache(KEY, notes.append)
    assert cache.read("name", "maker") is None
    assert cache.write("name", b"code", "maker") != ""
    with cache.alone("name"):
        pass


USE = """
from mosaic_sr.kernel import jit, workspace
print(workspace.work_size(2), jit.COMPILATION.seconds > 0.0, jit.COMPILATION.notes)
"""


def use(cache: Path, code: str = USE) -> str:
    environment = {**os.environ, "MOSAIC_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_compiler
def test_a_damaged_cache_is_compiled_again(tmp_path: Path):
    assert use(tmp_path) == "1552 True []\n"
    (file,) = tmp_path.glob("*/*.code")
    whole = file.read_bytes()
    for name in ("cut", "another pickle"):  # the cache takes none of the others for a file either
        file.write_bytes(DAMAGES[name](whole))
        assert use(tmp_path) == "1552 True []\n"
    assert use(tmp_path) == "1552 False []\n"


FULL = f"""
import errno, os
from mosaic_sr.kernel import code_cache
def fail(path, content):
    raise OSError({errno.ENOSPC}, os.strerror({errno.ENOSPC}), str(path))
code_cache.write_atomically = fail
from mosaic_sr.kernel import power, workspace
from mosaic_sr.kernel.jit import COMPILATION
print(workspace.work_size(2))
power.power_rows_rows_block.prepare()
print(*COMPILATION.notes, sep="\\n")
"""


@needs_compiler
def test_a_full_disk_is_one_note(tmp_path: Path):
    value, *notes = use(tmp_path, FULL).splitlines()
    assert value == "1552"
    assert len(notes) == 1
    assert "is not kept" in notes[0]
    assert os.strerror(errno.ENOSPC) in notes[0]
