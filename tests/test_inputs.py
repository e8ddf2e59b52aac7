"""Streams are read once and kept; what is no file says so."""

import os
import threading
from contextlib import suppress

import pytest

from mosaic_sr.errors import InvalidFile
from mosaic_sr.inputs import find_input


def content(found):
    with found.open() as opened:
        return opened.read()


def write_later(path, data):
    def write():
        with suppress(BrokenPipeError), path.open("wb") as pipe:
            pipe.write(data)

    thread = threading.Thread(target=write)
    thread.start()
    return thread


@pytest.mark.parametrize("size", [0, 10, 300_000])
def test_a_named_pipe_is_read_once_and_opened_twice(size, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    thread = write_later(tmp_path / "pipe", b"x" * size)
    found = find_input(tmp_path / "pipe")
    thread.join()
    assert content(found) == content(found) == b"x" * size


def test_a_writer_may_take_its_time(tmp_path, monkeypatch):
    monkeypatch.setattr("mosaic_sr.inputs.SECONDS_FOR_WRITER", 0.05)
    os.mkfifo(tmp_path / "pipe")
    both_ends = os.open(tmp_path / "pipe", os.O_RDWR)  # a writer that is there from the beginning

    def write():
        os.write(both_ends, b"a,y\n")
        os.close(both_ends)

    timer = threading.Timer(0.3, write)
    timer.start()
    assert content(find_input(tmp_path / "pipe")) == b"a,y\n"
    timer.join()


def test_a_pipe_without_a_writer_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("mosaic_sr.inputs.SECONDS_FOR_WRITER", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InvalidFile, match="no program wrote to this pipe"):
        find_input(tmp_path / "pipe")


def test_a_stream_without_end_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    thread = write_later(tmp_path / "pipe", b"x" * 60_000)
    with pytest.raises(InvalidFile, match="longer than 1,000 bytes; save it as a file"):
        find_input(tmp_path / "pipe", most_streamed=1000)
    thread.join()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/dev/zero", "this is a device"),
        ("/", "this is a folder"),
        ("a\0b", "not a file name"),
        ("none", "no such file"),
    ],
)
def test_what_is_no_file_says_so(path, message):
    with pytest.raises(InvalidFile, match=message):
        find_input(path)
