"""Jobs in this process, in several, and on a real cluster on this machine; workers are killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dse import api
from dse.errors import Fault, InputError, WorkerError
from dse.parallel import _other_program, program, results
from tests.sweeping.problems import ONE

ROOT = Path(__file__).parents[1]


def double(number: int) -> int:
    return 2 * number


def refuse(number: int) -> int:
    if number == 2:
        raise InputError([Fault("f", 1, 2, "w", "m", "h")])
    return number


def process_of(_number: int) -> int:
    return os.getpid()


def killed(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_one_worker_is_this_process_and_needs_no_library():
    code = (
        "import sys; from dse.parallel import results\n"
        "assert list(results(abs, [-1, -2], workers=1)) == [(0, 1), (1, 2)]\n"
        "assert not {'joblib', 'distributed'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_the_program_is_named_by_its_code():
    assert set(program()) == {"dse", "numpy", "ortools", "code"}
    assert len(program()["code"]) == 32


def test_several_processes():
    """Every job once with its position; what a job raises arrives whole; a killed worker is an error, not a wait."""
    assert sorted(results(double, [3, 1, 2], workers=2)) == [(0, 6), (1, 2), (2, 4)]
    with pytest.raises(InputError) as caught:
        list(results(refuse, [1, 2, 3], workers=2))
    assert caught.value.faults == (Fault("f", 1, 2, "w", "m", "h"),)
    with pytest.raises(WorkerError, match="a worker process ended in the middle of a job: it was killed"):
        list(results(killed, [1, 2, 3], workers=2))


@pytest.mark.parametrize(
    "address",
    ["here", "tcp://host", "http://x:80", "", " ", "tcp://h:65536", "tcp://h:0", "tcp://[::1:7", "tcp://a b:1"],
)
def test_what_is_no_address(address):
    with pytest.raises(InputError, match=r"^\S.*[^ ]: is not the address of a scheduler"):
        list(results(double, [1], workers=1, cluster=address))


def test_a_cluster_without_its_library(monkeypatch):
    monkeypatch.setattr("dse.parallel.find_spec", lambda _: None)
    with pytest.raises(
        InputError, match=r"dask.distributed, which is not installed \(install the extra: .*dse\[cluster"
    ):
        list(results(double, [1], workers=1, cluster="tcp://127.0.0.1:1"))


def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr("dse.parallel.CONNECT_S", 0.5)
    with pytest.raises(InputError, match=r"tcp://127\.0\.0\.1:1: no scheduler answers within 0\.5 s"):
        list(results(double, [1], workers=1, cluster="tcp://127.0.0.1:1"))


def test_addresses_of_other_kinds():
    """Without certificates, or without a library: said at once, and nothing is left to be closed at the end."""
    code = (
        "from dse.errors import InputError; from dse.parallel import results\n"
        "for address in ('tls://127.0.0.1:8786', 'ucx://127.0.0.1:1', 'tcp://::1:7'):\n"
        "    try: list(results(abs, [1], workers=1, cluster=address))\n"
        "    except InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert [line.partition(": ")[2].partition(":")[0] for line in done.stdout.splitlines()] == [
        "cannot be connected to"
    ] * 3
    assert "Traceback" not in done.stderr


def test_how_a_worker_differs():
    wanted = {"dse": "2", "ortools": "9", "code": "c"}
    found = _other_program("tcp://w:1", {"dse": "1", "ortools": "9"}, wanted)
    assert found.message == "this worker has another program: dse 1 instead of 2, code missing instead of c"
    lacking = _other_program("tcp://w:1", "No module named 'dse'", wanted)
    assert str(lacking).startswith("tcp://w:1: this worker cannot run dse: No module named 'dse' (install the same dse")


class Cluster:
    """A scheduler and workers, each a process of its own on the loopback, ended with the block."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes = folder, []

    def __enter__(self) -> Cluster:
        file = self.folder / "scheduler.json"
        self._start("dask_scheduler", "--port", "0", "--scheduler-file", str(file))
        deadline = time.monotonic() + 60
        while not file.exists():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        self.address = json.loads(file.read_text(encoding="utf-8"))["address"]
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes:
            process.kill()
            process.wait(timeout=30)

    def wait_for(self, workers: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)

    def add_worker(self) -> subprocess.Popen[bytes]:
        words = (self.address, "--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder))
        return self._start("dask_worker", *words)

    def _start(self, command: str, *words: str) -> subprocess.Popen[bytes]:
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        call = [sys.executable, "-m", f"distributed.cli.{command}", *words, "--host", "127.0.0.1", "--no-dashboard"]
        process = subprocess.Popen(call, env=env, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.processes.append(process)
        return process


@pytest.mark.filterwarnings("ignore")  # of a library that is about to lose its workers
def test_a_sweep_on_a_cluster_whose_worker_is_killed(knowledge, tmp_path, monkeypatch):
    """The points of the dead worker are solved by the other one: the same bytes. Then no other worker will do."""
    file = tmp_path / "problem.yaml"
    file.write_text(ONE, encoding="utf-8")
    vary = {"limits.power_w": "0.02, 0.04, 1"}
    with Cluster(tmp_path) as cluster:
        first, _second = cluster.add_worker(), cluster.add_worker()
        api.sweep(file, vary, csv=tmp_path / "here.csv")
        cluster.wait_for(2)

        def and_kill(*arguments, **options):
            for number, done in enumerate(results(*arguments, **options), start=1):
                if number == 1:
                    first.kill()
                yield done

        monkeypatch.setattr("dse.sweeping.run.results", and_kill)
        api.sweep(file, vary, csv=tmp_path / "there.csv", cluster=cluster.address)
        assert first.wait(timeout=30) == -signal.SIGKILL
        assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()

        # A single worker with a single thread is left: the work is its, not this process's.
        assert os.getpid() not in {
            found for _, found in results(process_of, [1, 2], workers=1, cluster=cluster.address)
        }
        with pytest.raises(InputError) as caught:
            list(results(refuse, [1, 2, 3], workers=1, cluster=cluster.address))
        assert caught.value.faults == (Fault("f", 1, 2, "w", "m", "h"),)
        here = {**program(), "dse": "0.0.1"}
        monkeypatch.setattr("dse.parallel.program", lambda: here)
        with pytest.raises(InputError, match="this worker has another program") as caught:
            list(results(double, [1, 2], workers=1, cluster=cluster.address))
        assert "instead of 0.0.1" in str(caught.value)
