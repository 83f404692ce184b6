"""A cache folder: processes that run one model share its packed weights, and later ones start warm."""

import subprocess
import sys

import pytest

from conftest import ROOT

RESNET = ROOT / ".cache" / "models" / "resnet18"
WORKERS = 6

# A worker announces each stage and waits for a line before the next, so that all are measured at the same stage.
WORKER = """
import sys
import numpy as np
from executorch.runtime import Runtime

def stage(name):
    print(name, flush=True)
    sys.stdin.readline()

Runtime.get().num_threads = 1
image = np.load(sys.argv[2])["in0"]
stage("started")
method = Runtime.get().load_program(sys.argv[1], cache_dir=sys.argv[3]).load_method("forward")
(output,) = method.execute([image])
print(np.asarray(output).tobytes().hex()[:64], flush=True)
stage("ran")
"""


class Worker:
    def __init__(self, folder):
        command = [sys.executable, "-c", WORKER, RESNET / "portable.pte", RESNET / "inputs.npz", folder]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")
        assert self.line() == "started"

    def line(self):
        return self.process.stdout.readline().strip()

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def memory(self, folder):
        """Bytes by kind, pages that n processes share counting 1/n each: packed weights, the program, its own."""
        kinds = {"packed": 0, "program": 0, "own": 0}
        kind = None
        with open(f"/proc/{self.process.pid}/smaps") as lines:
            for line in lines:
                words = line.split()
                if not words[0].endswith(":"):
                    path = " ".join(words[5:])
                    own = not path or path.startswith("[")
                    kind = "packed" if path.startswith(folder) else "program" if path.endswith(".pte") else own and "own"
                elif kind and words[0] == "Pss:":
                    kinds[kind] += int(words[1]) * 1024
        return kinds

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


@pytest.fixture
def workers():
    running = []

    def start(folder):
        running.append(Worker(folder))
        return running[-1]

    yield start
    for worker in running:
        worker.process.kill()
        worker.process.wait()


@pytest.fixture(autouse=True)
def exported():
    assert (RESNET / "portable.pte").exists(), f"{RESNET} has not been exported: ./dev test does that"


def run_all(workers, folder):
    """Starts the workers, runs each once. Returns what they added together, by kind, and the first bytes of results."""
    running = [workers(folder) for _ in range(WORKERS)]
    before = [worker.memory(folder) for worker in running]
    results = set()
    for worker in running:
        worker.go_on()
        results.add(worker.line())
        assert worker.line() == "ran"
    after = [worker.memory(folder) for worker in running]
    for worker in running:
        worker.end()
    return {kind: sum(a[kind] - b[kind] for a, b in zip(after, before)) for kind in before[0]}, results


def test_six_workers_hold_one_copy(workers, tmp_path):
    weights = (RESNET / "portable.pte").stat().st_size
    folder = str(tmp_path / "cache")
    for _ in range(2):  # cold, then warm
        added, results = run_all(workers, folder)
        assert len(results) == 1
        assert 0.8 * weights <= added["packed"] <= 1.1 * weights, added
        assert added["packed"] + added["program"] <= 1.2 * weights, added
        # Intermediate values of a run, no weights.
        assert added["own"] <= WORKERS * 0.4 * weights, added
    written = {path.name for path in (tmp_path / "cache").iterdir()}
    assert "key" in written and not [name for name in written if name.startswith(".")]


def test_results_are_those_without_a_folder(workers, tmp_path):
    lines = []
    for folder in ("", str(tmp_path / "cache"), str(tmp_path / "cache"), "/proc/no/such/folder"):
        worker = workers(folder)
        worker.go_on()
        lines.append(worker.line())
        assert worker.line() == "ran"
        worker.end()
    assert len(set(lines)) == 1


def test_the_environment_names_a_folder(run_python, tmp_path):
    code = """
import sys
from executorch.runtime import Runtime
Runtime.get().load_program(sys.argv[1]).load_method("forward")
"""
    run_python(code, str(RESNET / "portable.pte"), EXECUTORCH_CACHE_DIR=str(tmp_path / "cache"))
    assert len(list((tmp_path / "cache").glob("*.packed"))) > 10
