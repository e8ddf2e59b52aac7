"""Work for processes of loky: what they do must stand in a module that they can import."""

import os
import signal
import time
from pathlib import Path


class Noted:
    """A value that leaves a line in a file whenever a process reads it."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return (noted, (str(self.file),))


def noted(file):
    with Path(file).open("a") as lines:
        lines.write(f"{os.getpid()}\n")
    return Noted(file)


def pid_beside(shared, task):
    del shared
    time.sleep(0.05)  # long enough that one worker does not do all of it
    return task, os.getpid()


def square(offset, task):
    return task * task + offset


def square_or_die(flag, task):
    """The square; the first worker that comes to number 5 is killed."""
    if task == 5 and not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return task * task


def die(task):
    del task
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for(file):
    """The name of a file, once it is there; of none, at once."""
    while file and not Path(file).exists():
        time.sleep(0.01)
    return file


def refuse(task):
    raise ValueError(f"{task} is refused")
