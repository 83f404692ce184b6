#!/usr/bin/env python3
"""Compiles CUDA programs on this machine's GPU, runs them on the CUDA wheel, compares with PyTorch eager, and times both, in 8 minutes.

    python tests/cuda/gpu.py [--exporter PYTHON] [--only NAME ...] [--minutes N] [--keep FOLDER]

Run it with the Python that has the CUDA wheel. --exporter is one with PyTorch for CUDA, Triton, executorch 1.5.1, torchao and
transformers (.venv-cuda-exporter/bin/python unless given). Without a GPU it says so and does nothing. The exit status is 1 when a
program fails or is wrong, also when time ran out before all were tried.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
MODELS = ("add", "add_mul", "conv1d", "linear", "resnet18", "whisper", "gemma3", "voxtral")
VARIANTS = ("plain", "int4-tile-packed", "int4-weight-only")
WITHOUT_LINEAR = ("add", "add_mul", "conv1d")
#: Of the largest magnitude of eager's output: sums are taken in another order, in bfloat16 between layers.
TOLERANCE = {"plain": 0.02, "int4-tile-packed": 0.03, "int4-weight-only": 0.03}


@dataclasses.dataclass
class Result:
    name: str
    variant: str
    outcome: str = "ok"
    error: float = float("nan")
    milliseconds: float = float("nan")
    eager: float = float("nan")
    compile_seconds: float = float("nan")


def export(exporter: str, name: str, variant: str, folder: pathlib.Path, deadline: float) -> str:
    """Writes the program in a process of its own; what went wrong, or nothing."""
    folder.mkdir(parents=True)
    try:
        result = subprocess.run([exporter, str(HERE / "gpu_models.py"), name, variant, str(folder)], capture_output=True, text=True,
                                timeout=max(deadline - time.monotonic(), 1))  # fmt: skip
    except subprocess.TimeoutExpired:
        return "no time left for its export"
    (folder / "export.log").write_text(result.stdout + result.stderr)
    return "" if result.returncode == 0 else "export failed: " + (result.stderr.strip().splitlines() or ["no text"])[-1]


def read_inputs(folder: pathlib.Path, halves: list[bool]) -> list:
    """numpy has no bfloat16: those are read as bits and given as PyTorch's tensors."""
    arrays = [array for _, array in sorted(np.load(folder / "inputs.npz").items())]
    if not any(halves):
        return arrays
    import torch

    return [torch.from_numpy(a).view(torch.bfloat16) if half else torch.from_numpy(a) for a, half in zip(arrays, halves)]


def run(folder: pathlib.Path, result: Result) -> None:
    from executorch.runtime import Runtime

    times = json.loads((folder / "times.json").read_text())
    result.eager, result.compile_seconds = times["eager"] * 1e3, times["compile"]
    inputs = read_inputs(folder, times["bfloat16"])
    weights = sorted(map(str, folder.glob("*.ptd")))
    method = Runtime.get().load_program(str(folder / "model.pte"), data_path=weights or None).load_method("forward")
    output = method.execute(inputs)[0]
    found = np.asarray(output.float() if hasattr(output, "float") else output, dtype=np.float64)
    expected = np.load(folder / "expected.npz")["arr_0"].astype(np.float64)
    result.error = float(np.abs(found - expected).max() / np.abs(expected).max())
    if not result.error <= TOLERANCE[result.variant]:
        result.outcome = f"wrong: differs by {result.error:.3g} of the largest value"
    for _ in range(5):
        method.execute(inputs)
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < 1:
        method.execute(inputs)
        count += 1
    result.milliseconds = (time.perf_counter() - start) / count * 1e3


def table(results: list[Result]) -> str:
    lines = [f"{'model':10} {'variant':18} {'compile s':>9} {'ours ms':>9} {'eager ms':>9} {'error':>9}  outcome"]
    for r in results:
        lines.append(f"{r.name:10} {r.variant:18} {r.compile_seconds:9.1f} {r.milliseconds:9.3f} {r.eager:9.3f} {r.error:9.2g}  {r.outcome}")
    return "\n".join(lines)


def available() -> str:
    """Why nothing can be run here; empty when it can."""
    from executorch.extension.pybindings import portable_lib

    if "CudaBackend" not in portable_lib._get_registered_backend_names():
        return "this executorch has no CUDA delegate: install a CUDA wheel (./dev wheel-cuda)"
    return "" if portable_lib._is_available("CudaBackend") else "there is no NVIDIA GPU, or no driver for it"


def try_all(cases, args, folder: pathlib.Path, deadline: float) -> list[Result]:
    """Exports beside each other, runs one by one as they come."""
    results = []
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 4)) as pool:
        waiting = {pool.submit(export, args.exporter, *case, folder / "-".join(case), deadline): case for case in cases}
        for done in concurrent.futures.as_completed(waiting):
            result = Result(*waiting[done])
            results.append(result)
            result.outcome = done.result() or "ok"
            if result.outcome == "ok" and time.monotonic() > deadline:
                result.outcome = "no time left for its run"
            elif result.outcome == "ok":
                try:
                    run(folder / "-".join(waiting[done]), result)
                except (RuntimeError, ValueError, OSError) as error:
                    result.outcome = f"failed: {str(error).splitlines()[0]}"
            print(f"{result.name} {result.variant}: {result.outcome}", flush=True)
    return sorted(results, key=lambda r: (MODELS.index(r.name), VARIANTS.index(r.variant)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exporter", default=str(HERE.parent.parent / ".venv-cuda-exporter" / "bin" / "python"))
    parser.add_argument("--only", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--minutes", type=float, default=8)
    parser.add_argument("--keep", type=pathlib.Path, help="leave programs and logs in this folder, which must not exist")
    args = parser.parse_args()
    if reason := available():
        print(f"skipped: {reason}")
        return 0
    # Those without a linear layer have nothing to quantize.
    cases = [(name, variant) for name in args.only for variant in VARIANTS if variant == "plain" or name not in WITHOUT_LINEAR]
    with tempfile.TemporaryDirectory() as scratch:
        results = try_all(cases, args, args.keep or pathlib.Path(scratch), time.monotonic() + 60 * args.minutes)
    print(table(results))
    return 1 if any(result.outcome != "ok" for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
