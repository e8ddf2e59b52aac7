"""Locks on open files, which other processes wait for or respect; they end with the process."""

from __future__ import annotations

import errno
import os
import sys

if sys.platform == "win32":
    import msvcrt

    # Windows keeps others from reading a locked byte, so it is one that no file of ours reaches.
    LOCKED_BYTE = 2**31 - 1

    def lock(descriptor: int, waits: bool) -> bool:
        """Whether the open file is now locked by us; a network folder may have no locks."""
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
        try:
            return _lock_byte(descriptor, waits)
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)

    def _lock_byte(descriptor: int, waits: bool) -> bool:
        while True:
            try:
                msvcrt.locking(descriptor, msvcrt.LK_LOCK if waits else msvcrt.LK_NBLCK, 1)
            except OSError as error:
                # Whoever waits gives up after ten seconds and asks again.
                if waits and error.errno == errno.EDEADLK:
                    continue
                return False
            return True

else:
    import fcntl

    def lock(descriptor: int, waits: bool) -> bool:
        """Whether the open file is now locked by us; a network folder may have no locks."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if waits else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:  # held by another, or there are no locks
            return False
        return True
