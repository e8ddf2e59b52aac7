"""Tasks on a ray cluster: a joblib backend of plain ray tasks, and the connection that `mosaic fit --cluster` makes.

The backend that ray itself has for joblib is a pool of actors: nodes that join later have none, and after the loss of a
node its actor waits for a core that may never be free again. Plain tasks go to any node, and ray repeats lost ones.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from joblib import parallel_config, register_parallel_backend
from joblib.parallel import ParallelBackendBase

from mosaic_sr.errors import InvalidSettings

NAME = "mosaic-ray"
# Nodes that one task may lose; after so many it is the task that ends them.
MOST_RETRIES = 20
# Ray itself waits for more than a minute where nobody answers.
KNOCK_SECONDS = 5.0
# The number of cores is asked for so often at most: the answer takes milliseconds.
SECONDS_BETWEEN_COUNTS = 1.0


class RayTasks(ParallelBackendBase):  # type: ignore[misc]
    """Each call of joblib is a ray task of one core, on any node that is there when it begins."""

    supports_retrieve_callback = True
    default_n_jobs = -1

    def __init__(self, nesting_level: int | None = None, **options: Any) -> None:
        import ray

        super().__init__(nesting_level=nesting_level or 0, **options)
        self._ray = ray
        self._remote = ray.remote(num_cpus=1, max_retries=MOST_RETRIES)(_called)
        self._waiting: set[Any] = set()
        self._num_cores, self._counted_at = 1, -SECONDS_BETWEEN_COUNTS

    def effective_n_jobs(self, n_jobs: int | None) -> int:
        """The cores of the cluster as it is now, or as many of them as are asked for."""
        if time.monotonic() - self._counted_at >= SECONDS_BETWEEN_COUNTS:
            self._num_cores = max(1, int(self._ray.cluster_resources().get("CPU", 1)))
            self._counted_at = time.monotonic()
        return self._num_cores if n_jobs is None or n_jobs < 0 else min(n_jobs, self._num_cores)

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], None] | None = None) -> Future[Any]:
        """The call as a ray task; joblib's callback hears of its end."""
        reference = self._remote.remote(func)
        self._waiting.add(reference)
        future: Future[Any] = reference.future()
        future.add_done_callback(lambda _: self._waiting.discard(reference))
        if callback is not None:
            future.add_done_callback(callback)
        return future

    apply_async = submit  # its name before joblib 1.5

    def retrieve_result_callback(self, out: Future[Any]) -> Any:
        """What the task has returned."""
        return out.result()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        """Cancel what has not begun; what runs ends by itself."""
        del ensure_ready
        for reference in list(self._waiting):
            self._ray.cancel(reference, force=False)


def _called(func: Callable[[], Any]) -> Any:
    return func()


@contextmanager
def on_cluster(address: str) -> Generator[None, None, None]:
    """Within this block, searches do their tasks on the ray cluster at `address`; `auto` is that of this machine."""
    try:
        import ray
    except ModuleNotFoundError as error:
        raise InvalidSettings("a cluster needs ray: pip install 'mosaic-sr[cluster]'") from error
    _check_answers(address)
    try:
        ray.init(address=address, log_to_driver=False)
    except (ConnectionError, ValueError) as error:
        raise InvalidSettings(f"there is no ray cluster at {address!r}: {error}") from error
    try:
        register_parallel_backend(NAME, RayTasks)
        with parallel_config(backend=NAME, n_jobs=-1):
            yield
    finally:
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Knock at a plain `host:port`."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isdigit()) or "/" in host:
        return
    try:
        socket.create_connection((host, int(port)), timeout=KNOCK_SECONDS).close()
    except OSError as error:
        raise InvalidSettings(f"there is no ray cluster at {address!r}: {error}") from error
