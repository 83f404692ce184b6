"""Runs one model in this process and answers timing requests on standard input, for models.py.

    python worker.py RUNTIME PROGRAM INPUTS.npz EXPECTED.npz THREADS

RUNTIME: executorch or executorch-torch (any wheel that offers executorch.runtime, fed with numpy arrays or torch tensors), onnxruntime
(PROGRAM is an ONNX file), eager (PROGRAM is a folder named after a model of tools/model_suite). The arrays are in0, in1, … and out0, …,
or those of the first call in calls.npz (c0_in0, …), then named twice.
Answers a line of JSON: first what loading and the first run took and how far the result is from the expected one, then for each
line "SECONDS" read, the times of that many seconds of runs. Times are in milliseconds.
"""

import json
import pathlib
import resource
import sys
import time


class Clock:
    """CPU time of this process and time on the wall since it was made."""

    def __init__(self):
        self.cpu, self.wall = time.process_time(), time.perf_counter()

    def read(self):
        return {"cpu": (time.process_time() - self.cpu) * 1e3, "wall": (time.perf_counter() - self.wall) * 1e3}


def rss():
    """Resident memory in MB: now, and at the peak."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[1]) * resource.getpagesize() / 1e6
    return now, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def answer(**content):
    print(json.dumps(content), flush=True)


def arrays_of(path, side):
    """The arrays of one side, in order."""
    import numpy as np

    arrays = np.load(path)
    return [arrays[name] for name in arrays.files if name.startswith((side, f"c0_{side}"))]


def as_numpy(value):
    """Narrow types without a counterpart in numpy convert to float."""
    import numpy as np

    return np.asarray(value.float() if hasattr(value, "float") else value)


# Each of these imports what it needs and returns load(), which returns run() -> the first output.


def executorch(program, inputs, threads, torch_inputs=False):
    if torch_inputs:
        import torch

        torch.set_num_threads(threads)
        inputs = [torch.from_numpy(array) for array in inputs]
    from executorch.extension.pybindings import portable_lib
    from executorch.runtime import Runtime

    portable_lib._unsafe_reset_threadpool(threads)

    def load():
        method = Runtime.get().load_program(program).load_method("forward")
        return lambda: method.execute(inputs)[0]

    return load


def executorch_torch(program, inputs, threads):
    return executorch(program, inputs, threads, torch_inputs=True)


def onnxruntime(program, inputs, threads):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads

    def load():
        session = ort.InferenceSession(program, options, providers=["CPUExecutionProvider"])
        feeds = {given.name: array for given, array in zip(session.get_inputs(), inputs)}
        return lambda: session.run(None, feeds)[0]

    return load


def eager(program, inputs, threads):
    import torch

    torch.set_num_threads(threads)
    folder = pathlib.Path(program)
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
    from model_suite import SUITE

    tensors = [torch.from_numpy(array) for array in inputs]

    def load():
        module = SUITE[folder.name]().module
        context = torch.inference_mode()

        def run():
            with context:
                outputs = module(*tensors)
            return outputs[0] if isinstance(outputs, (list, tuple)) else outputs

        return run

    return load


def distance(got, want):
    """Largest difference, in units of the largest expected number."""
    import numpy as np

    if got.shape != want.shape:
        return float("inf")
    scale = max(float(np.abs(want).max()), 1e-9) if want.size else 1.0
    return float(np.abs(got.astype(np.float64) - want).max(initial=0)) / scale


def main():
    runtime, program, inputs_path, expected_path, threads = sys.argv[1:6]
    inputs, want = arrays_of(inputs_path, "in"), arrays_of(expected_path, "out")[0]
    load = globals()[runtime.replace("-", "_")](program, inputs, int(threads))
    before = rss()[0]
    clock = Clock()
    run = load()
    loading = clock.read()
    result = run()
    first = clock.read()
    answer(load=loading, first=first, error=distance(as_numpy(result), want))
    for line in sys.stdin:
        walls, clock = [], Clock()
        while not walls or clock.read()["wall"] < float(line) * 1e3:
            wall = time.perf_counter()
            run()
            walls.append((time.perf_counter() - wall) * 1e3)
        # The clock of CPU time is coarse beside short runs: their mean is what can be trusted.
        answer(walls=walls[:2000], cpu=clock.read()["cpu"] / len(walls), runs=len(walls), peak_mb=rss()[1] - before)


if __name__ == "__main__":
    main()
