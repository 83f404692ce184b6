#!/usr/bin/env python3
"""Single operators on this runtime and on the original, through the registry of each, turn by turn.

    benchmarks/operators/operators.py --original DIR [--family NAME ...] [--match TEXT] [--threads 1 2] [--seconds 0.03]
                                      [--rounds 3] [--json F]

DIR is the installed package of the original, the folder that holds include/ and lib/; ours is the package that this Python
imports. worker.cpp is compiled for both. One thread: CPU time; several: wall time. A ratio above 1 means that ours is faster.
The last column is the time in which a plain loop on one thread reads as many bytes as the inputs have, as a share of our time:
near 100% the memory is the bound.
"""

import argparse
import json
import math
import pathlib
import re
import statistics
import subprocess
import tempfile

import cases

HERE = pathlib.Path(__file__).parent


class Failed(Exception):
    """A worker ended."""


def our_package():
    import executorch

    return pathlib.Path(executorch.__file__).parent


def compile_worker(package, libraries, folder):
    """Compiles the worker against the headers and libraries of a package."""
    program = folder / f"worker_{len(list(folder.iterdir()))}"
    include = package / "include"
    subprocess.run(
        ["g++", "-std=c++20", "-O2", str(HERE / "worker.cpp"), "-o", str(program), f"-I{include}",
         f"-I{include}/executorch/runtime/core/portable_type/c10", "-DC10_USING_CUSTOM_GENERATED_MACROS", f"-L{package}/lib",
         "-Wl,--no-as-needed", *libraries, f"-Wl,-rpath,{package}/lib"],
        check=True,
    )  # fmt: skip
    return program


class Worker:
    def __init__(self, program, threads):
        self._process = subprocess.Popen(
            [str(program), str(threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def ask(self, line):
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise Failed from error
        answer = self._process.stdout.readline().split()
        if not answer:
            raise Failed
        return answer

    def close(self):
        self._process.stdin.close()
        self._process.wait()


class Runtime:
    """A worker that is started anew when a call ended it."""

    def __init__(self, program, threads):
        self._program, self._threads = program, threads
        self._worker = Worker(program, threads)

    def ask(self, line):
        try:
            return self._worker.ask(line)
        except Failed:
            self._worker = Worker(self._program, self._threads)
            return ["crashed"]

    def close(self):
        self._worker.close()


def same(ours, theirs, request):
    """Sums of all results agree, as far as the rounding of narrow types allows."""
    tolerance = 2e-2 if "16:" in request else 1e-3
    return math.isclose(float(ours), float(theirs), rel_tol=tolerance, abs_tol=tolerance * 100)


BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i16": 2, "i8": 1, "u8": 1, "bool": 1}


def input_bytes(request):
    """Bytes of all inputs of a request."""
    tensors = re.findall(r"\bt:(\w+):([\d,]+)", request)
    return sum(BYTES[dtype] * math.prod(map(int, sizes.split(","))) for dtype, sizes in tensors)


def measure(case, runtimes, args, threads):
    """{"ours": ns, "original": ns} with a reason where there is no figure, and the median of the ratios of all turns."""
    family, label, request = case
    row = {"family": family, "label": label, "threads": threads}
    answers = {name: runtime.ask(request) for name, runtime in runtimes.items()}
    for name, answer in answers.items():
        if answer[0] != "ok":
            row[name + "_refused"] = " ".join(answer)
    if len(row) > 3:
        return row
    row["agree"] = same(answers["ours"][1], answers["original"][1], request)
    turns = {name: [] for name in runtimes}
    for _ in range(args.rounds):
        for name, runtime in runtimes.items():
            answer = runtime.ask(f"run {args.seconds}")
            if answer[0] == "crashed":
                row[name + "_refused"] = "crashed"
                return row
            turns[name].append(float(answer[0 if threads == 1 else 1]))
    row.update({name: statistics.median(values) for name, values in turns.items()})
    plain = runtimes["ours"].ask(f"read {input_bytes(request)} {args.seconds}")
    row["read"] = float(plain[0]) / row["ours"] if plain[0] != "crashed" else 0
    row["ratio"] = statistics.median(theirs / ours for ours, theirs in zip(turns["ours"], turns["original"]))
    return row


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def print_rows(rows, threads):
    print(f"\n{threads} thread{'s' * (threads > 1)}: microseconds of {'CPU' if threads == 1 else 'wall'} time a call")
    print(f"{'operator':<58} {'ours':>10} {'original':>10} {'x faster':>9} {'of reading':>10}")
    for row in rows:
        if "ratio" in row:
            mark = "" if row["agree"] else "  results differ"
            print(f"{row['label']:<58} {row['ours'] / 1e3:10.2f} {row['original'] / 1e3:10.2f} {row['ratio']:9.2f} {row['read']:10.0%}{mark}")
        else:
            why = ", ".join(f"{name}: {row[name + '_refused']}" for name in ("ours", "original") if name + "_refused" in row)
            print(f"{row['label']:<58} {why}")


def print_summary(rows):
    print(f"\n{'family':<12} {'rows':>5} {'mean x':>8} {'least x':>8}  slowest row")
    families = {row["family"]: None for row in rows}
    for family in [*families, None]:
        timed = [row for row in rows if "ratio" in row and family in (None, row["family"])]
        if timed:
            least = min(timed, key=lambda row: row["ratio"])
            mean = geometric_mean([row["ratio"] for row in timed])
            print(f"{family or 'all':<12} {len(timed):5} {mean:8.2f} {least['ratio']:8.2f}  {least['label']}")


def chosen(args):
    return [
        case for case in cases.all_cases()
        if (not args.family or case[0] in args.family) and (not args.match or args.match in case[1])
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--original", type=pathlib.Path, required=True)
    parser.add_argument("--family", nargs="*")
    parser.add_argument("--match", help="only rows whose label holds this text")
    parser.add_argument("--threads", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=0.03, help="of calls in a turn")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path, help="write all figures here")
    args = parser.parse_args()
    everything = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        programs = {
            "ours": compile_worker(our_package(), ["-lexecutorch", "-lexecutorch_threadpool", "-l:libexecutorch_optimized_native_cpu_ops_lib.so.1"], folder),
            "original": compile_worker(args.original, ["-lexecutorch", "-lexecutorch_threadpool", "-lexecutorch_kernels_optimized"], folder),
        }  # fmt: skip
        for threads in args.threads:
            runtimes = {name: Runtime(program, threads) for name, program in programs.items()}
            rows = [measure(case, runtimes, args, threads) for case in chosen(args)]
            for runtime in runtimes.values():
                runtime.close()
            print_rows(rows, threads)
            print_summary(rows)
            everything += rows
    if args.json:
        args.json.write_text(json.dumps(everything, indent=1))


if __name__ == "__main__":
    main()
