"""Locks of open files; on Windows those of msvcrt, which a stand-in plays here."""

import errno
import importlib.util
import os
import sys
import types
from contextlib import contextmanager
from pathlib import Path

import pytest

from mosaic_sr import file_locks, files
from mosaic_sr.file_locks import lock


def test_a_second_lock_is_refused_until_the_first_file_is_closed(tmp_path):
    with (tmp_path / "a").open("wb") as first, (tmp_path / "a").open("r+b") as second:
        assert lock(first.fileno(), waits=False)
        assert not lock(second.fileno(), waits=False)
        first.close()
        assert lock(second.fileno(), waits=False)


@pytest.fixture
def of_windows(monkeypatch):
    """The module as Windows imports it, with answers for each call of `msvcrt.locking`, and the calls."""
    calls, answers = [], []

    def locking(descriptor, mode, count):
        calls.append((mode, count, os.lseek(descriptor, 0, os.SEEK_CUR)))
        if answers and (error := answers.pop(0)):
            raise OSError(error, "locked")

    fake = types.SimpleNamespace(LK_LOCK=1, LK_NBLCK=2, locking=locking)
    monkeypatch.setitem(sys.modules, "msvcrt", fake)
    monkeypatch.setattr(sys, "platform", "win32")
    spec = importlib.util.spec_from_file_location("file_locks_of_windows", file_locks.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, calls, answers


def test_on_windows_a_byte_far_behind_the_file_is_locked_and_the_place_stays(of_windows, tmp_path):
    module, calls, _ = of_windows
    with (tmp_path / "a").open("wb") as stream:
        stream.write(b"text")
        stream.flush()
        assert module.lock(stream.fileno(), waits=False)
        assert os.lseek(stream.fileno(), 0, os.SEEK_CUR) == 4
    assert calls == [(2, 1, module.LOCKED_BYTE)]


def test_on_windows_who_waits_asks_again_and_others_are_refused(of_windows, tmp_path):
    module, calls, answers = of_windows
    with (tmp_path / "a").open("wb") as stream:
        answers += [errno.EDEADLK, errno.EDEADLK]
        assert module.lock(stream.fileno(), waits=True)
        assert len(calls) == 3
        answers += [errno.EACCES]
        assert not module.lock(stream.fileno(), waits=False)


def test_on_windows_a_file_is_closed_before_it_is_renamed(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_IS_FIXED_WHILE_OPEN", True)
    opened, renamed, replace, new_part = [], [], Path.replace, files._new_part

    @contextmanager
    def spied(folder):
        with new_part(folder) as (part, stream):
            opened.append(stream)
            yield part, stream

    def renames(part, target):
        renamed.append(opened[-1].closed)
        return replace(part, target)

    monkeypatch.setattr(files, "_new_part", spied)
    monkeypatch.setattr(Path, "replace", renames)
    (tmp_path / ".mosaic-0123456789abcdef.part").write_text("stale")
    files.write_atomically(tmp_path / "law.json", "text")
    assert renamed == [True]
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("law.json", "text")]
