#!/usr/bin/env python3
"""The model suite on this runtime and on the original, same files, interleaved in the same run.

    benchmarks/models.py MODELS_DIR --original PYTHON [--only NAME ...] [--first N] [--threads 1 2] [--seconds 1] [--rounds 3]
                         [--delegated FILE] [--json F]

MODELS_DIR/<name>/ holds portable.pte (exported without a delegate), optionally xnnpack.pte, inputs.npz and expected.npz, as
tools/export_models.py writes them, or model.pte and calls.npz as tools/export_generated.py does. Each row runs in processes
of its own: ours on the undelegated file, the original on the same file, the original on the file delegated to XNNPACK, and
ours on that file. A ratio above 1 means that ours is faster.
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
# What a program without a delegate may cost against the original's delegate.
TARGET = 1.25


def plain_program(folder):
    """Name of the program without a delegate; None where the folder holds none that one file describes."""
    about = folder / "program.json"
    if about.exists():
        return None if json.loads(about.read_text())["data_files"] else "model.pte"
    return "portable.pte" if (folder / "portable.pte").exists() else None


class Worker:
    """A program loaded in a process of its own."""

    def __init__(self, python, program, threads, tensors):
        calls = program.with_name("calls.npz")
        arrays = [calls, calls] if calls.exists() else [program.with_name("inputs.npz"), program.with_name("expected.npz")]
        self.process = subprocess.Popen(
            [python, str(WORKER), str(program), *map(str, arrays), str(threads), tensors],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
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
        return {
            **self.start,
            "cpu_ms": statistics.median(r["cpu"] for r in self.rounds),
            "wall_ms": statistics.median(w for r in self.rounds for w in r["walls"]),
            "peak_mb": max(r["peak_mb"] for r in self.rounds),
        }


def measure_row(args, folder, threads):
    """Figures of one model: {"ours": …, "original": …, "xnnpack": …, "delegated": …}; a variant that fails holds {"failed": why}."""
    variants = {"xnnpack": (args.original, args.delegated, "torch"), "delegated": (sys.executable, args.delegated, "numpy")}
    if args.delegated == DELEGATED:
        portable = plain_program(folder)
        variants = {"ours": (sys.executable, portable, "numpy"), "original": (args.original, portable, "torch"), **variants}
    workers, row = {}, {}
    for name, (python, file, tensors) in variants.items():
        if python is None or not (folder / file).exists():
            continue
        try:
            workers[name] = Worker(python, folder / file, threads, tensors)
        except RuntimeError as error:
            row[name] = {"failed": str(error)}
    for _ in range(args.rounds):
        for name, worker in list(workers.items()):
            try:
                worker.measure(args.seconds)
            except (RuntimeError, OSError) as error:
                row[name] = {"failed": str(error)}
                del workers[name]
    row.update({name: worker.close() for name, worker in workers.items()})
    return row


def ratio(row, other, figure, own="ours"):
    ours, theirs = row.get(own, {}).get(figure), row.get(other, {}).get(figure)
    return theirs / ours if ours and theirs else None


def text(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}" if value < 100 else f"{value:,.0f}"


def print_table(rows, threads):
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{threads} thread{'s' if threads > 1 else ''}: milliseconds of CPU time a run (median of rounds)")
    for heading in ("program", "ours", "original", "x faster", "XNNPACK", "x faster", "wall x", "load x", "memory x", "error",
                    "delegated", "x faster", "load x", "memory x"):
        table.add_column(heading, justify="left" if heading == "program" else "right", no_wrap=True)
    for name, row in rows.items():
        ours = row.get("ours", {})
        if "failed" in ours:
            table.add_row(name, "failed", ours["failed"])
            continue
        delegated = ratio(row, "xnnpack", "cpu_ms")
        style = "" if delegated is None or delegated * TARGET >= 1 else "[yellow]"
        table.add_row(
            name, text(ours.get("cpu_ms")), text(row.get("original", {}).get("cpu_ms")), text(ratio(row, "original", "cpu_ms"), 1),
            text(row.get("xnnpack", {}).get("cpu_ms")), style + text(delegated), text(ratio(row, "xnnpack", "wall_ms")),
            text(ratio(row, "original", "load_ms")), text(ratio(row, "original", "peak_mb")), f"{(ours or row.get('delegated', {})).get('error', math.nan):.0e}",
            text(row.get("delegated", {}).get("cpu_ms")),
            *[text(ratio(row, "xnnpack", figure, "delegated")) for figure in ("cpu_ms", "load_ms", "peak_mb")],
        )  # fmt: skip
    console = Console(width=160)
    console.print(table)
    for own, other, label in (("ours", "original", "undelegated files, against the original"),
                              ("ours", "xnnpack", "undelegated files, against the original through XNNPACK"),
                              ("delegated", "xnnpack", "delegated files, against the original through XNNPACK")):  # fmt: skip
        ratios = [value for row in rows.values() if (value := ratio(row, other, "cpu_ms", own))]
        if ratios:
            console.print(f"geometric mean, {label}: {math.exp(statistics.fmean(map(math.log, ratios))):.2f}x")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--original", help="Python of an environment with the original")
    parser.add_argument("--only", nargs="*", help="names of models")
    parser.add_argument("--delegated", default=DELEGATED, metavar="FILE",
                        help="the delegated program of a folder; one of another name is measured by itself")
    parser.add_argument("--first", type=int, metavar="N", help="only the first N programs")
    parser.add_argument("--threads", nargs="*", type=int, default=[1])
    parser.add_argument("--seconds", type=float, default=1.0, help="of runs in a round")
    parser.add_argument("--rounds", type=int, default=3)
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
        print_table(rows, threads)
        results[threads] = rows
    if args.json:
        args.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
