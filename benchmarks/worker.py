"""Runs one program in this process and answers timing requests on standard input, for models.py.

    python worker.py PROGRAM INPUTS.npz EXPECTED.npz THREADS [numpy|torch]

The arrays are in0, in1, … and out0, …, or those of the first call in calls.npz (c0_in0, …), then named twice.
Works with any wheel that offers executorch.runtime. Answers a line of JSON: first what loading took and how far the result
is from the expected one, then for each line "SECONDS" read, the times of that many seconds of runs.
"""

import json
import resource
import sys
import time


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


def main():
    path, inputs_path, expected_path, threads, tensors = sys.argv[1:6]
    import numpy as np

    inputs, want = arrays_of(inputs_path, "in"), arrays_of(expected_path, "out")[0]
    if tensors == "torch":
        import torch

        torch.set_num_threads(int(threads))
        inputs = [torch.from_numpy(array) for array in inputs]
    from executorch.extension.pybindings import portable_lib
    from executorch.runtime import Runtime

    portable_lib._unsafe_reset_threadpool(int(threads))
    before = rss()[0]
    start = time.perf_counter()
    method = Runtime.get().load_program(path).load_method("forward")
    load_ms = (time.perf_counter() - start) * 1e3
    start = time.perf_counter()
    outputs = method.execute(inputs)
    first_ms = (time.perf_counter() - start) * 1e3
    got = as_numpy(outputs[0])
    scale = max(float(np.abs(want).max()), 1e-9) if want.size else 1.0
    error = float(np.abs(got.astype(np.float64) - want).max()) / scale if got.shape == want.shape else float("inf")
    answer(load_ms=load_ms, first_ms=first_ms, error=error)
    for line in sys.stdin:
        walls, cpus, end = [], [], time.perf_counter() + float(line)
        while not walls or time.perf_counter() < end:
            cpu, wall = time.process_time(), time.perf_counter()
            method.execute(inputs)
            walls.append((time.perf_counter() - wall) * 1e3)
            cpus.append((time.process_time() - cpu) * 1e3)
        # The clock of CPU time is coarse beside short runs: their mean is what can be trusted.
        answer(walls=walls[:2000], cpu=sum(cpus) / len(cpus), runs=len(walls), peak_mb=rss()[1] - before)


if __name__ == "__main__":
    main()
