"""Programs of AOTInductor: this runtime beside PyTorch's own runner of the same models, in one process.

PyTorch compiles with its defaults: oneDNN's weights, libgomp, this machine's instruction set. Ours is compiled as aoti.compile does,
for the instruction set given. Runs alternate; a row has the least and the median time of each, and the ratio of the CPU time.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import sys
import tempfile
import time

import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "aoti")]


def measure(runs, seconds: float):
    """Calls the functions in turn, and returns the wall and CPU times of each."""
    times = [([], []) for _ in runs]
    for run in runs:
        run()
    end = time.monotonic() + seconds
    while time.monotonic() < end or len(times[0][0]) < 5:
        for run, (wall, cpu) in zip(runs, times):
            start = time.perf_counter(), time.process_time()
            run()
            wall.append(time.perf_counter() - start[0])
            cpu.append(time.process_time() - start[1])
    return times


def prepare(name: str, instruction_set: str | None, cache: pathlib.Path):
    """Both ways to run a model, on the same inputs; checked to agree."""
    import aoti_models
    from executorch.backends import aoti
    from executorch.runtime import Runtime

    path, package = cache / f"{name}-{instruction_set}.pte", cache / f"{name}.pt2"
    _, exported = aoti_models.export(name)
    if not path.exists():
        aoti.compile(exported, path, instruction_set=instruction_set)
    if not package.exists():
        torch._inductor.aoti_compile_and_package(exported, package_path=str(package), inductor_configs={"freezing": True})
    method = Runtime.get().load_program(path, backend_options=aoti.trust()).load_method("forward")
    theirs = torch._inductor.aoti_load_package(str(package))
    inputs = aoti_models.CASES[name].inputs
    ours_first = method.execute(inputs)[0]
    theirs_first = theirs(*inputs)
    theirs_first = theirs_first[0] if isinstance(theirs_first, (tuple, list)) else theirs_first
    torch.testing.assert_close(ours_first, theirs_first, rtol=1e-3, atol=1e-4)
    return [lambda: method.execute(inputs), lambda: theirs(*inputs)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["mlp", "transformer", "resnet18"])
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--instruction-set", help="what ours is compiled for")
    parser.add_argument("--cache", type=pathlib.Path, help="folder to keep compiled programs in")
    args = parser.parse_args()
    from executorch.runtime import Runtime

    torch.set_num_threads(args.threads)
    Runtime.get().num_threads = args.threads
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        cache = args.cache or pathlib.Path(folder)
        cache.mkdir(parents=True, exist_ok=True)
        print(f"{'model':14}{'ours ms':>20}{'torch ms':>20}{'wall ratio':>12}{'CPU ratio':>12}   (least / median; over 1: ours is faster)")
        for name in args.models:
            (ours, ours_cpu), (theirs, theirs_cpu) = measure(prepare(name, args.instruction_set, cache), args.seconds)
            columns = [f"{min(t) * 1e3:.3f} / {statistics.median(t) * 1e3:.3f}" for t in (ours, theirs)]
            ratios = statistics.median(theirs) / statistics.median(ours), statistics.median(theirs_cpu) / statistics.median(ours_cpu)
            print(f"{name:14}{columns[0]:>20}{columns[1]:>20}{ratios[0]:>12.2f}{ratios[1]:>12.2f}")


if __name__ == "__main__":
    main()
