"""Instances of one model share its packed weights: within a process, and through a cache folder between processes."""

import re
import subprocess
import sys

import pytest

from conftest import ROOT

MODELS = ROOT / ".cache" / "models"
RESNET = MODELS / "resnet18" / "portable.pte"
# With 32-bit weights, in both forms, and with bytes and half bytes.
PROGRAMS = ["minilm/portable", "resnet18/portable", "vit_small/portable", "resnet18/xnnpack", "minilm/xnnpack_q8dyn", "llama15m_decode/8da4w"]
WORKERS = 6
KINDS = ("packed", "program", "own", "libraries")

# A worker announces each stage and waits for a line before the next, so that all are measured at the same stage.
WORKER = """
import sys
import numpy as np
from executorch.runtime import Runtime

def stage(name):
    print(name, flush=True)
    sys.stdin.readline()

Runtime.get().num_threads = 1
with np.load(sys.argv[2]) as arrays:
    inputs = [arrays[f"in{i}"] for i in range(len(arrays.files))]
np.ones(4) @ np.ones(4)
stage("started")
methods = []
for _ in range(int(sys.argv[4])):
    program = Runtime.get().load_program(sys.argv[1], cache_dir=sys.argv[3])
    methods.append(program.load_method("forward"))
    print(methods[-1]._method._plan_memory_bytes(), "\t".join(methods[-1]._method._plan_report()))
    stage("loaded")
output = methods[-1].execute(inputs)[0]
print(np.asarray(output).tobytes().hex()[:64], flush=True)
stage("ran")
"""


class Worker:
    def __init__(self, program, folder, loads=1):
        self.folder = folder
        command = [sys.executable, "-c", WORKER, program, program.with_name("inputs.npz"), folder, str(loads)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/")
        assert self.line() == "started"

    def line(self):
        return self.process.stdout.readline().strip()

    def go_on(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def load(self):
        """Loads the model; returns the bytes of packed weights that its plan holds, and those of all else."""
        self.go_on()
        held, report = self.line().split(maxsplit=1)
        assert self.line() == "loaded"
        packed = 1024 * sum(int(size) for size in re.findall(r"plan of [^\t]* instructions, packed (\d+) KB", report))
        return packed, int(held) - packed

    def run(self):
        """Runs the model; returns the first bytes of its result."""
        self.go_on()
        result = self.line()
        assert self.line() == "ran"
        return result

    def memory(self):
        """Bytes by kind, pages that n processes share counting 1/n each."""
        kinds = dict.fromkeys(KINDS, 0)
        with open(f"/proc/{self.process.pid}/smaps") as lines:
            for line in lines:
                words = line.split()
                if not words[0].endswith(":"):
                    kind = self.kind_of(" ".join(words[5:]))
                elif words[0] == "Pss:":
                    kinds[kind] += int(words[1]) * 1024
        return kinds

    def kind_of(self, path):
        if self.folder and path.startswith(self.folder):
            return "packed"
        if path.endswith(".pte"):
            return "program"
        return "own" if not path or path.startswith("[") else "libraries"

    def end(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=60) == 0


@pytest.fixture
def workers():
    running = []

    def start(*args, **options):
        running.append(Worker(*args, **options))
        return running[-1]

    yield start
    for worker in running:
        worker.process.kill()
        worker.process.wait()


@pytest.fixture(autouse=True)
def exported():
    assert RESNET.exists(), f"{RESNET} has not been exported: ./dev test does that"


def added(before, after):
    """What the workers have added together, by kind."""
    return {kind: sum(a[kind] - b[kind] for a, b in zip(after, before)) for kind in KINDS}


@pytest.mark.parametrize("name", PROGRAMS)
def test_six_workers_hold_one_copy(workers, tmp_path, name):
    program = MODELS / f"{name}.pte"
    weights = program.stat().st_size
    folder = tmp_path / "cache"
    for start in ("cold", "warm"):
        running = [workers(program, str(folder)) for _ in range(WORKERS)]
        started = [worker.memory() for worker in running]
        packed, values = zip(*(worker.load() for worker in running))
        loaded = [worker.memory() for worker in running]
        assert len({worker.run() for worker in running}) == 1
        ran = [worker.memory() for worker in running]
        for worker in running:
            worker.end()

        # Intermediate values are touched by running: a part of all that is added, and of what the plans state.
        touched = added(loaded, ran)["own"]
        model = sum(added(started, ran).values()) - touched
        print(f"{name}, {start}: {model / weights:.2f} of its {weights / 1e6:.1f} MB and {touched / 1e6:.1f} MB of values")
        assert model <= 1.2 * weights, added(started, ran)
        assert added(started, ran)["packed"] >= 0.9 * packed[0] > 0
        assert touched <= sum(values) + WORKERS * 1.5e6
    written = {path.name for path in folder.iterdir()}
    assert "key" in written and not [name for name in written if name.startswith(".")]


@pytest.mark.parametrize("name", ["resnet18/portable", "resnet18/xnnpack", "resnet18/xnnpack_q8"])
def test_instances_of_a_process_share(workers, name):
    program = MODELS / f"{name}.pte"
    weights = program.stat().st_size
    worker = workers(program, "", loads=3)
    before = worker.memory()
    worker.load()
    first = worker.memory()
    assert 0.9 * weights <= added([before], [first])["own"] <= 1.2 * weights
    worker.load()
    worker.load()
    assert sum(added([first], [worker.memory()]).values()) <= 0.05 * weights
    worker.run()
    worker.end()


def test_results_are_those_without_a_folder(workers, tmp_path):
    results = set()
    for folder in ("", str(tmp_path / "cache"), str(tmp_path / "cache"), "/proc/no/such/folder"):
        worker = workers(RESNET, folder)
        worker.load()
        results.add(worker.run())
        worker.end()
    assert len(results) == 1


def test_the_environment_names_a_folder(run_python, tmp_path):
    code = """
import sys
from executorch.runtime import Runtime
Runtime.get().load_program(sys.argv[1]).load_method("forward")
"""
    run_python(code, str(RESNET), EXECUTORCH_CACHE_DIR=str(tmp_path / "cache"))
    assert len(list((tmp_path / "cache").glob("*.packed"))) > 10
