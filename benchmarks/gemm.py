#!/usr/bin/env python3
"""The matrix product against MKL (through torch) and OpenBLAS (through numpy): same run, one thread, CPU time, turn by turn.

    benchmarks/gemm.py [--sizes 256 512 1024] [--rounds 15]

EXECUTORCH_CPU=avx2 measures ours with another instruction set. All three get both operands unpacked at every call.
"""

import argparse
import os
import statistics
import time

# Overrides of the processor type that some machines set for older releases would slow OpenBLAS down.
for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(name, None)
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402
import torch  # noqa: E402

from executorch.extension.pybindings import _portable_lib as lib  # noqa: E402


def seconds(run, calls):
    start = time.process_time()
    for _ in range(calls):
        run()
    return (time.process_time() - start) / calls


def measure(size, rounds):
    """GFLOP/s of the three, and the median of the ratios taken turn by turn."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    outs = {name: np.empty((size, size), np.float32) for name in ("ours", "torch", "numpy")}
    ta, tb, tout = (torch.from_numpy(array) for array in (a, b, outs["torch"]))
    runs = {
        "ours": lambda: lib._call_operator("aten::mm.out", [a, b, outs["ours"]]),
        "torch": lambda: torch.mm(ta, tb, out=tout),
        "numpy": lambda: np.matmul(a, b, out=outs["numpy"]),
    }
    calls = max(1, int(5e8 / size**3))
    times = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, run in runs.items():
            times[name].append(seconds(run, calls))
    np.testing.assert_allclose(outs["ours"], outs["torch"], rtol=1e-3, atol=1e-3)
    flops = 2 * size**3 / 1e9
    best = {name: flops / statistics.median(values[1:]) for name, values in times.items()}
    ratio = {name: statistics.median(t / o for t, o in zip(times[name][1:], times["ours"][1:])) for name in ("torch", "numpy")}
    return best, ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="*", type=int, default=[256, 512, 1024])
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    torch.set_num_threads(1)
    lib._unsafe_reset_threadpool(1)
    print(f"float32 matrix product, one thread, GFLOP/s (EXECUTORCH_CPU={os.environ.get('EXECUTORCH_CPU', 'best')})")
    print(f"{'size':>6} {'ours':>8} {'torch':>8} {'numpy':>8}   x torch   x numpy")
    for size in args.sizes:
        best, ratio = measure(size, args.rounds)
        print(f"{size:6} {best['ours']:8.1f} {best['torch']:8.1f} {best['numpy']:8.1f} {ratio['torch']:9.2f} {ratio['numpy']:9.2f}")


if __name__ == "__main__":
    main()
