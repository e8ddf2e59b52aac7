"""The same runs on a ray cluster; a run whose node is lost is done again on another one."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mosaic_sr import InvalidSettings

if TYPE_CHECKING:
    from benchmarks.results_file import Result
    from benchmarks.run import Place, Task

RETRY_FOREVER = -1
KNOCK_SECONDS = 5.0


def perform_on_cluster(tasks: Sequence[Task], place: Place, address: str) -> Iterator[Result]:
    """Results in the order in which runs end; every node needs the package installed, and one core per run."""
    ray = _connected(address)
    try:
        from benchmarks.run import perform

        remote = ray.remote(num_cpus=place.num_cores, max_retries=RETRY_FOREVER)(perform)
        waiting = [remote.remote(task, place) for task in tasks]
        while waiting:
            ended, waiting = ray.wait(waiting, num_returns=1)
            yield from ray.get(ended)
    finally:
        ray.shutdown()


def _connected(address: str):  # type: ignore[no-untyped-def]
    """The ray module, connected to a cluster whose nodes get this folder's code."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise InvalidSettings("--cluster needs ray: pip install 'mosaic-sr[cluster]'") from error
    _check_answers(address)
    try:
        ray.init(address=address, runtime_env={"py_modules": [str(Path(__file__).parent)]}, log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        raise InvalidSettings(f"there is no ray cluster at {address!r}: {error}") from error
    return ray


def _check_answers(address: str) -> None:
    """Knock at a plain `host:port`: ray itself waits for more than a minute where nobody is."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isdigit()) or "/" in host:
        return
    try:
        socket.create_connection((host, int(port)), timeout=KNOCK_SECONDS).close()
    except OSError as error:
        raise InvalidSettings(f"there is no ray cluster at {address!r}: {error}") from error
