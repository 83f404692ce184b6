"""``executorch bench``: how long loading and running take."""

from __future__ import annotations

import argparse
import json
import resource
import time
from typing import Any

from executorch.cli import common, run

HELP = "Time loading and running a method: load time, latency percentiles, peak memory."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_program_arguments(parser)
    common.add_call_arguments(parser)
    parser.add_argument("--seconds", type=float, default=3.0, metavar="S", help="how long to measure (default 3)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def made_up_inputs(meta: Any) -> list[Any]:
    """Random inputs of the largest shapes; integers are small, so that they are valid indices almost everywhere."""
    import numpy as np

    generator = np.random.default_rng(0)
    inputs: list[Any] = []
    for index, kind in enumerate(meta.input_kinds()):
        if kind != "Tensor":
            raise ValueError(f"input {index} is {kind}: give the inputs with --input")
        info = meta.input_tensor_meta(index)
        name = common.DTYPE_NAMES[info.dtype()]
        if name.startswith("float"):
            inputs.append(generator.standard_normal(info.sizes()).astype(name))
        elif name == "bool":
            inputs.append(generator.integers(0, 2, info.sizes()).astype(bool))
        elif name.startswith(("int", "uint")):
            inputs.append(generator.integers(0, 2, info.sizes()).astype(name))
        else:
            raise ValueError(f"input {index} is of type {name}: give the inputs with --input")
    return inputs


def inputs_of(args: Any, meta: Any) -> list[Any]:
    """The inputs that a command was given, else made up ones."""
    return run.read_inputs(args.input) if args.input else made_up_inputs(meta)


def measure(args: Any) -> dict:
    """Runs the method for the time asked and returns the figures, times in milliseconds."""
    from executorch.runtime import Runtime

    if args.threads is not None:
        Runtime.get().num_threads = args.threads
    start = time.perf_counter()
    program = common.load_program(args)
    name = common.pick_method(program, args.method)
    method = program.load_method(name)
    load = time.perf_counter() - start
    inputs = inputs_of(args, method.metadata)

    start = time.perf_counter()
    method.execute(inputs)
    first = time.perf_counter() - start
    walls, cpu = [], time.process_time()
    end = time.perf_counter() + args.seconds
    with _progress(args, name):
        while len(walls) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            method.execute(inputs)
            walls.append(time.perf_counter() - start)
    cpu = time.process_time() - cpu
    walls.sort()

    def percentile(p: float) -> float:
        return walls[min(len(walls) - 1, int(p * len(walls)))] * 1e3

    return {
        "file": args.file,
        "method": name,
        "threads": Runtime.get().num_threads,
        "load_ms": load * 1e3,
        "first_ms": first * 1e3,
        "runs": len(walls),
        "min_ms": walls[0] * 1e3,
        "p50_ms": percentile(0.5),
        "p90_ms": percentile(0.9),
        "p99_ms": percentile(0.99),
        "cpu_ms": cpu / len(walls) * 1e3,
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


class _progress:
    """A line on a terminal while the measuring lasts; nothing elsewhere."""

    def __init__(self, args: Any, name: str) -> None:
        self._console = common.console(stderr=True)
        self._shown = self._console.is_terminal and not args.json
        self._status = self._console.status(f"running {name} for {args.seconds:g} s") if self._shown else None

    def __enter__(self) -> None:
        if self._status:
            self._status.start()

    def __exit__(self, *_: Any) -> None:
        if self._status:
            self._status.stop()


def main(args: Any) -> int:
    figures = measure(args)
    if args.json:
        print(json.dumps(figures, indent=2))
        return 0
    print(f"{figures['file']}, {figures['method']}, {figures['threads']} threads, {figures['runs']} runs")
    print(f"  load    {figures['load_ms']:10.3f} ms")
    print(f"  first   {figures['first_ms']:10.3f} ms")
    for label in ("min", "p50", "p90", "p99"):
        print(f"  {label:7} {figures[label + '_ms']:10.3f} ms")
    print(f"  cpu     {figures['cpu_ms']:10.3f} ms per run")
    print(f"  memory  {common.bytes_text(figures['peak_rss_bytes'])} at the peak, Python included")
    return 0
