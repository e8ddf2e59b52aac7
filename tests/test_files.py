"""Files are written whole or not at all; only plain files are replaced, and nothing of ours is left behind."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic_sr import InvalidFile
from mosaic_sr.files import refuse_unwritable, write_atomically

PART = ".mosaic-0123456789abcdef.part"


def names_in(folder):
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_written_and_replaced_with_its_permissions(tmp_path):
    file = tmp_path / "law.json"
    write_atomically(file, "one")
    file.chmod(0o600)
    write_atomically(file, b"two")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("two", 0o600)
    assert names_in(tmp_path) == ["law.json"]


def a_folder(path):
    path.mkdir()


def a_link(path):
    path.with_name("real").write_text("real")
    path.symlink_to(path.with_name("real"))


def a_dangling_link(path):
    path.symlink_to(path.with_name("nowhere"))


def read_only(path):
    path.write_text("old")
    path.chmod(0o444)


SPECIAL = [
    (a_folder, "is a folder"),
    (a_link, "is a symbolic link"),
    (a_dangling_link, "is a symbolic link"),
    (os.mkfifo, "is a device, pipe or socket"),
    (read_only, "is read-only"),
]


@pytest.mark.parametrize(("make", "message"), SPECIAL)
def test_what_is_no_plain_writable_file_is_refused_and_stays(make, message, tmp_path):
    path = tmp_path / "out"
    make(path)
    before = path.lstat()
    for write in (refuse_unwritable, lambda path: write_atomically(path, "new")):
        with pytest.raises(InvalidFile, match=message):
            write(path)
    assert path.lstat() == before
    assert not [name for name in names_in(tmp_path) if name.endswith(".part")]


def test_a_device_is_refused():
    with pytest.raises(InvalidFile, match="is a device"):
        refuse_unwritable(Path("/dev/null"))


def test_a_name_that_is_too_long_is_refused_before_the_work(tmp_path):
    with pytest.raises(InvalidFile, match="too long"):
        refuse_unwritable(tmp_path / ("x" * 300))


def test_the_longest_name_can_be_written(tmp_path):
    write_atomically(tmp_path / ("x" * 255), "text")
    assert names_in(tmp_path) == ["x" * 255]


@pytest.mark.parametrize("spoil", [lambda folder: folder.rmdir(), lambda folder: (folder.rmdir(), folder.touch())])
def test_a_folder_that_is_gone_or_a_file_raises_the_named_error(spoil, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    spoil(folder)
    with pytest.raises(InvalidFile, match="cannot write"):
        write_atomically(folder / "law.json", "text")


def test_a_full_disk_leaves_the_file_before_and_no_part(tmp_path):
    file = tmp_path / "law.json"
    write_atomically(file, "old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(InvalidFile, match="cannot write"):
            write_atomically(file, "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert file.read_text() == "old"
    assert names_in(tmp_path) == ["law.json"]


def test_ctrl_c_while_a_file_is_written_leaves_no_part(tmp_path, monkeypatch):
    def interrupted(descriptor):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "law.json", "text")
    assert names_in(tmp_path) == []


def test_a_part_of_a_killed_process_is_removed_by_the_next_write(tmp_path):
    (tmp_path / PART).write_text("half a f")
    for other in ("law.json.part", "mosaic.part", f"{PART}.txt"):
        (tmp_path / other).write_text("of somebody else")
    write_atomically(tmp_path / "law.json", "text")
    assert names_in(tmp_path) == [f"{PART}.txt", "law.json", "law.json.part", "mosaic.part"]


HOLD = """
import fcntl, sys
with open(sys.argv[1], "wb") as part:
    fcntl.flock(part, fcntl.LOCK_EX)
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_part_that_another_process_writes_stays(tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path / PART)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as writer:
        assert writer.stdout.readline() == "held\n"
        write_atomically(tmp_path / "law.json", "text")
        assert names_in(tmp_path) == [PART, "law.json"]
        writer.stdin.close()
    write_atomically(tmp_path / "law.json", "text")
    assert names_in(tmp_path) == ["law.json"]


def test_a_link_called_like_a_part_is_not_followed(tmp_path):
    (tmp_path / "kept").write_text("kept")
    (tmp_path / PART).symlink_to(tmp_path / "kept")
    write_atomically(tmp_path / "law.json", "text")
    assert (tmp_path / "kept").read_text() == "kept"
