"""Runs one function over many jobs: in this process, in several processes here, or on a cluster.

It knows nothing of what the jobs are. joblib and dask.distributed are imported where they are used, not before.
"""

from __future__ import annotations

import hashlib
import re
import signal
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

from dse.errors import Fault, InputError, WorkerError

Job = TypeVar("Job")
Done = TypeVar("Done")

CONNECT_S = 10
"""Longest wait for a scheduler, and then for its first worker [s]."""
_ADDRESS = re.compile(r"(?:tcp|tls|ucx|ws|wss)://(?:\[[^\s\[\]]+\]|[^\s\[\]]+):([0-9]{1,5})", re.ASCII)
_LAST_PORT = 65535
KILLED = "a worker process ended in the middle of a job: it was killed, or out of memory"


def results(
    function: Callable[[Job], Done], jobs: Sequence[Job], *, workers: int, cluster: str | None = None
) -> Generator[tuple[int, Done], None, None]:
    """Yield the position and the result of every job, as soon as it is done: in no order.

    Parameters
    ----------
    function : callable
        Of the top level of a module, so that other processes find it; it is to use one thread.
    jobs : sequence
        What it is called with, one after the other; must pickle, as must what the function returns.
    workers : int
        Processes on this machine; one means this process itself, where jobs keep their order.
    cluster : str, optional
        Address of a running dask.distributed scheduler, such as ``tcp://10.0.0.1:8786``, whose workers do the work
        instead. A job whose worker dies is done again by another one; while there is none, this waits.

    Returns
    -------
    generator
        Close it to end the work early.

    Raises
    ------
    InputError
        The cluster cannot be used: no scheduler, no workers, or workers with another program than this one.
    WorkerError
        A process of this machine was killed, one job ended several workers of a cluster, or its scheduler is gone.
    Exception
        What the function raised.
    """
    if cluster is not None:
        yield from _on_cluster(function, jobs, cluster)
    elif workers == 1 or len(jobs) < 2:
        for position, job in enumerate(jobs):
            yield position, function(job)
    else:
        yield from _in_processes(function, jobs, min(workers, len(jobs)))


@lru_cache(maxsize=1)
def program() -> dict[str, str]:
    """What decides a result apart from the job: versions, and a digest of the code of dse."""
    folder = Path(__file__).resolve().parent
    digest = hashlib.blake2b(digest_size=16)
    for file in sorted(file for kind in ("*.py", "*.csv") for file in folder.rglob(kind)):
        if "_catalogs" in file.parts:  # in a wheel; catalogues have a key of their own
            continue
        content = file.read_bytes()
        digest.update(f"{file.relative_to(folder).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    versions = {name: _version(name) for name in ("dse", "numpy", "ortools")}
    return {**versions, "code": digest.hexdigest()}


def _in_processes(function: Callable[[Job], Done], jobs: Sequence[Job], workers: int) -> Iterator[tuple[int, Done]]:
    import joblib

    with joblib.parallel_config(backend="loky", n_jobs=workers, inner_max_num_threads=1):
        parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs")
    found = parallel(joblib.delayed(_one_here)(function, position, job) for position, job in enumerate(jobs))
    try:
        for one in found:  # noqa: UP028 - by `yield from` a close would reach joblib first, which warns of it
            yield one
    except BrokenExecutor as error:
        raise WorkerError(KILLED) from error
    finally:
        _close(found)


def _one_here(function: Callable[[Job], Done], position: int, job: Job) -> tuple[int, Done]:
    # An interrupt reaches the whole group of processes: the one that waits for the results ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return position, function(job)


def _on_cluster(function: Callable[[Job], Done], jobs: Sequence[Job], address: str) -> Iterator[tuple[int, Done]]:
    if find_spec("distributed") is None:
        hint = "install the extra: pip install 'dse[cluster]'"
        raise InputError([Fault(address, 0, 0, "", "a cluster needs dask.distributed, which is not installed", hint)])
    import cloudpickle  # comes with dask.distributed
    import joblib

    client = _client(address)
    try:
        _require_same_program(client, address)
        with joblib.parallel_config(backend=_backend(client), n_jobs=-1):
            parallel = joblib.Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch="all")
        # As bytes: the backend would lay anything else of some size on one worker, and it would be lost with it.
        packed = (cloudpickle.dumps((function, position, job)) for position, job in enumerate(jobs))
        found = parallel(joblib.delayed(_one_there)(job, program()) for job in packed)
        try:
            for one in found:  # noqa: UP028 - as above
                yield one
        except CancelledError as error:
            raise WorkerError("the connection to the scheduler was lost in the middle of the work") from error
        finally:
            _close(found)
    finally:
        client.close(timeout=CONNECT_S)


def _one_there(packed: bytes, wanted: dict[str, str]) -> tuple[int, Any]:
    """One job on a worker, which may have joined after the others were asked for their program."""
    import cloudpickle

    if program() != wanted:
        from distributed import get_worker

        raise InputError([_other_program(get_worker().address, program(), wanted)])
    function, position, job = cloudpickle.loads(packed)
    return position, function(job)


def _client(address: str) -> Any:  # noqa: ANN401 - distributed has no types
    parts = _ADDRESS.fullmatch(address)
    if parts is None or not 0 < int(parts[1]) <= _LAST_PORT:
        place = address if address.strip() else "cluster"
        raise InputError([Fault(place, 0, 0, "", "is not the address of a scheduler", "such as tcp://10.0.0.1:8786")])
    try:
        return _client_class()(address, timeout=CONNECT_S, set_as_default=False)
    except _UnusableError as error:
        message = f"cannot be connected to: {_in_short(error.__cause__) or 'the address is of no use here'}"
        hint = "give an address of the kind `dask scheduler` prints, such as tcp://10.0.0.1:8786"
        raise InputError([Fault(address, 0, 0, "", message, hint)]) from error
    except OSError as error:  # nobody there, or too late
        message = f"no scheduler answers within {CONNECT_S} s: {_in_short(error) or 'no answer'}"
        hint = "start one with `dask scheduler`, and workers with `dask worker`"
        raise InputError([Fault(address, 0, 0, "", message, hint)]) from error


class _UnusableError(OSError):
    """An address of a kind that this process cannot connect to."""


@lru_cache(maxsize=1)
def _client_class() -> Any:  # noqa: ANN401
    """The client of dask, which by itself is left half open by any error but an OSError, and then waits for itself."""
    from distributed import Client

    class Connecting(Client):
        async def _ensure_connected(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
            try:
                await super()._ensure_connected(*arguments, **options)  # type: ignore[no-untyped-call]
            except OSError:
                raise
            except Exception as error:
                raise _UnusableError(str(error)) from error

    return Connecting


def _in_short(error: BaseException | None) -> str:
    return " ".join(str(error or "").split())[:120]


def _require_same_program(client: Any, address: str) -> None:  # noqa: ANN401
    """Every worker must give the results this process would give."""
    try:
        client.wait_for_workers(1, timeout=CONNECT_S)
    except TimeoutError as error:
        message = f"the scheduler has no worker after {CONNECT_S} s"
        raise InputError([Fault(address, 0, 0, "", message, f"start some: dask worker {address}")]) from error
    # By value, so that a worker without dse can say so.
    answers = client.run(_ask, on_error="return")
    faults = [
        _other_program(worker, answer if isinstance(answer, dict) else str(answer), program())
        for worker, answer in answers.items()
        if answer != program()
    ]
    if faults:
        raise InputError(faults)


def _ask() -> dict[str, str]:
    return program()


def _other_program(worker: str, found: dict[str, str] | str, wanted: dict[str, str]) -> Fault:
    """How a worker differs from this process."""
    hint = "install the same dse on every worker as here"
    if isinstance(found, str):
        return Fault(worker, 0, 0, "", f"this worker cannot run dse: {found[:200]}", hint)
    differ = [name for name in wanted if found.get(name) != wanted[name]]
    words = [f"{name} {found.get(name) or 'missing'} instead of {wanted[name] or 'none'}" for name in differ]
    return Fault(worker, 0, 0, "", f"this worker has another program: {', '.join(words)}", hint)


class _Lost:
    """Stands for the result of a job that no worker brought to its end."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def _backend(client: Any) -> Any:  # noqa: ANN401
    """joblib's backend for dask, which by itself waits for ever for a job that killed its workers."""
    from joblib._dask import DaskDistributedBackend

    class Backend(DaskDistributedBackend):  # type: ignore[misc]
        def effective_n_jobs(self, n_jobs: int = 1) -> int:
            # For a single one joblib would do the work in this very process.
            return max(2, int(super().effective_n_jobs(n_jobs)))

        def submit(self, func: Any, callback: Callable[[Any], None]) -> Any:  # noqa: ANN401
            future = super().submit(func, callback)
            future.add_done_callback(partial(self._tell, callback))
            return future

        def _tell(self, callback: Callable[[Any], None], future: Any) -> None:  # noqa: ANN401
            if future.exception() is not None:
                callback(_Lost(future.exception()))

        def retrieve_result_callback(self, out: Any) -> Any:  # noqa: ANN401
            if isinstance(out, _Lost):
                raise WorkerError(f"a job could not be done on the cluster: {out.error}") from out.error
            return super().retrieve_result_callback(out)

    return Backend(client=client)


def _close(found: Any) -> None:  # noqa: ANN401 - a generator
    """End what is left; joblib warns of results that nobody fetched, which here is what was meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.close()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
