#!/usr/bin/env python3
"""The model suite on this runtime and on others, same files, interleaved in the same run.

    benchmarks/models.py MODELS_DIR --original PYTHON [--peers PYTHON] [--only NAME ...] [--first N] [--threads 1 2] [--seconds 1]
                         [--rounds 3] [--starts 3] [--delegated FILE] [--json F]

MODELS_DIR/<name>/ holds portable.pte (exported without a delegate), optionally xnnpack.pte, inputs.npz and expected.npz, as
tools/export_models.py writes them, or model.pte and calls.npz as tools/export_generated.py does. Each variant runs in processes
of its own: ours and the original, both on the file without a delegate and on the one delegated to XNNPACK, and, with PYTHON of an
environment that has them, onnxruntime on model.onnx and torch's eager module.

"load" is until a method is ready, "first" until its first result (loading included), both the least of several fresh processes;
"run" is a later run. With one thread times are CPU time, which other work on the machine does not touch, else time on the wall.
A ratio (x) above 1 means that ours is faster, or smaller.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys

WORKER = pathlib.Path(__file__).with_name("worker.py")
DELEGATED = "xnnpack.pte"
SLOW_MS = 1500  # a first result after so long: the variant starts once and runs in one round, its figures are steady enough


def plain_program(folder):
    """Name of the program without a delegate; None where the folder holds none that one file describes."""
    about = folder / "program.json"
    if about.exists():
        return None if json.loads(about.read_text())["data_files"] else "model.pte"
    return "portable.pte" if (folder / "portable.pte").exists() else None


class Variant:
    """A runtime and its file."""

    def __init__(self, python, runtime, program, arrays):
        self.command = [python, str(WORKER), runtime, str(program), *map(str, arrays)]
        self.available = python is not None and program.exists()


class Worker:
    """A program loaded in a process of its own."""

    def __init__(self, variant, threads):
        self.process = subprocess.Popen(
            [*variant.command, str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.start = self._read()
        self.rounds = []

    def _read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read().strip().splitlines()[-1:] or ["ended without a word"])
        return json.loads(line)

    def measure(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        self.rounds.append(self._read())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def figures(worker, starts, clock):
    """What a variant took."""
    walls = [wall for r in worker.rounds for wall in r["walls"]]
    return {
        "load": min(start["load"][clock] for start in starts),
        "first": min(start["first"][clock] for start in starts),
        "run": statistics.median(r["cpu"] for r in worker.rounds) if clock == "cpu" else statistics.median(walls),
        "cpu": statistics.median(r["cpu"] for r in worker.rounds),
        "wall_min": min(walls),
        "peak_mb": max(r["peak_mb"] for r in worker.rounds),
        "error": worker.start["error"],
    }


def variants_of(args, folder):
    delegated, calls = folder / args.delegated, folder / "calls.npz"
    # What the eager module makes of the inputs once it is quantised as the program is.
    quantized = folder / f"expected_{delegated.stem.removeprefix('xnnpack_')}.npz"
    expected = quantized if quantized.exists() else folder / "expected.npz"
    arrays = [calls, calls] if calls.exists() else [folder / "inputs.npz", expected]
    variants = {
        "xnnpack": Variant(args.original, "executorch-torch", delegated, arrays),
        "delegated": Variant(sys.executable, "executorch", delegated, arrays),
    }
    if args.delegated == DELEGATED:
        plain = folder / plain_program(folder)
        variants["ours"] = Variant(sys.executable, "executorch", plain, arrays)
        variants["original"] = Variant(args.original, "executorch-torch", plain, arrays)
        if not calls.exists():
            variants["onnxruntime"] = Variant(args.peers, "onnxruntime", folder / "model.onnx", arrays)
            variants["eager"] = Variant(args.peers, "eager", folder, arrays)
    return {name: variant for name, variant in variants.items() if variant.available}


def measure_row(args, folder, threads):
    """Figures of one model by variant; one that fails holds {"failed": why}."""
    clock = "cpu" if threads == 1 else "wall"
    variants, workers, starts, row = variants_of(args, folder), {}, {}, {}

    def attempt(name, action):
        try:
            action()
        except (RuntimeError, OSError) as error:
            row[name] = {"failed": str(error)}
            workers.pop(name, None)

    def start(name):
        earlier = workers.pop(name, None)
        if earlier is not None:
            earlier.close()
        workers[name] = Worker(variants[name], threads)
        starts.setdefault(name, []).append(workers[name].start)

    def slow(name):
        return name in starts and starts[name][0]["first"]["wall"] > SLOW_MS

    for _ in range(args.starts):
        for name in variants:
            if name not in row and not slow(name):
                attempt(name, lambda name=name: start(name))
    for turn in range(args.rounds):
        for name, worker in list(workers.items()):
            if turn == 0 or not slow(name):
                attempt(name, lambda worker=worker: worker.measure(args.seconds))
    for name, worker in workers.items():
        worker.close()
        row[name] = figures(worker, starts[name], clock)
    return row


def ratio(row, own, other, figure):
    ours, theirs = row.get(own, {}).get(figure), row.get(other, {}).get(figure)
    return theirs / ours if ours and theirs else None


def text(value):
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def marked(value):
    """A ratio, coloured where ours is behind."""
    return text(value) if value is None or value >= 1 else f"[yellow]{text(value)}[/]"


def print_table(rows, own, title, columns):
    """`columns`: heading -> (variant, figure): the variant's own figure for `own`, else how much better `own` is."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    rows = {name: row for name, row in rows.items() if own in row}
    if not rows:
        return
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("program", no_wrap=True)
    for heading in columns:
        table.add_column(heading, justify="right")
    for name, row in rows.items():
        if "failed" in row[own]:
            table.add_row(name, f"failed: {row[own]['failed']}")
            continue
        cells = [
            f"{row[own]['error']:.0e}" if figure == "error"
            else text(row[own][figure]) if variant == own
            else marked(ratio(row, own, variant, figure))
            for variant, figure in columns.values()
        ]  # fmt: skip
        table.add_row(name, *cells)
    means = {heading: geometric_mean(rows, own, *column) for heading, column in columns.items()}
    table.add_section()
    table.add_row("geometric mean", *[text(mean) if mean else "" for mean in means.values()])
    Console(width=None if sys.stdout.isatty() else 100).print(table)


def geometric_mean(rows, own, variant, figure):
    ratios = [value for row in rows.values() if variant != own and (value := ratio(row, own, variant, figure))]
    return math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None


def print_tables(rows, threads, delegated):
    """Two tables: ours on files without a delegate, and on delegated ones, each beside the others."""
    unit = "CPU time" if threads == 1 else "time on the wall"
    label = f"{threads} thread{'s' if threads > 1 else ''}, ms of {unit}; x: how much better than the other"

    def columns(own, other):
        chosen = {"load": (own, "load"), "first": (own, "first"), "run": (own, "run"),
                  "load x": (other, "load"), "first x": (other, "first"), "run x": (other, "run")}  # fmt: skip
        if threads > 1:
            chosen["cpu x"] = (other, "cpu")
        return {**chosen, "memory x": (other, "peak_mb")}

    peers = {"onnx x": ("onnxruntime", "run"), "eager x": ("eager", "run")}
    peers = {heading: column for heading, column in peers.items() if any(column[0] in row for row in rows.values())}
    plain = {**columns("ours", "original"), "XNNPACK x": ("xnnpack", "run"), **peers, "error": ("ours", "error")}
    print_table(rows, "ours", f"Without a delegate, beside the original on the same file. {label}", plain)
    own = {**columns("delegated", "xnnpack"), **peers, "error": ("delegated", "error")}
    print_table(rows, "delegated", f"{delegated}, beside the original on the same file. {label}", own)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--original", help="Python of an environment with the original")
    parser.add_argument("--peers", metavar="PYTHON", help="Python of an environment with onnxruntime and torch")
    parser.add_argument("--only", nargs="*", help="names of models")
    parser.add_argument("--delegated", default=DELEGATED, metavar="FILE",
                        help="the delegated program of a folder; one of another name is measured by itself")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N programs")
    parser.add_argument("--threads", nargs="*", type=int, default=[1])
    parser.add_argument("--seconds", type=float, default=1.0, help="of runs in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--starts", type=int, default=3, help="processes that load and run first")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures here")
    args = parser.parse_args()
    if args.delegated == DELEGATED:
        folders = [folder for folder in sorted(args.models.glob("*")) if plain_program(folder)]
    else:
        folders = sorted(path.parent for path in args.models.glob(f"*/{args.delegated}"))
    if args.only:
        folders = [folder for folder in folders if folder.name in args.only]
    folders = folders[: args.first]
    if not folders:
        sys.exit(f"no programs under {args.models}: ./dev bench exports them")
    results = {}
    for threads in args.threads:
        rows = {}
        for folder in folders:
            print(f"measuring {folder.name}, {threads} threads", file=sys.stderr)
            rows[folder.name] = measure_row(args, folder, threads)
        print_tables(rows, threads, args.delegated)
        results[threads] = rows
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
