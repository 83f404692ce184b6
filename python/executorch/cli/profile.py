"""``executorch profile``: where the time of a method goes."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from typing import Any

from executorch.cli import bench, common, etdump, profile_page

HELP = "Run a method and show its operators by time, share and bandwidth; save traces and reports."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_program_arguments(parser)
    common.add_call_arguments(parser)
    parser.add_argument("--runs", type=int, default=20, metavar="N", help="runs to take the median of (default 20)")
    parser.add_argument("--top", type=int, default=25, metavar="N", help="rows to show (default 25)")
    parser.add_argument("--etdump", metavar="FILE", help="save the profile as an ETDump, which the original's Inspector reads")
    parser.add_argument("--trace", metavar="FILE", help="save the last run as a trace for Perfetto or Chrome")
    parser.add_argument("--html", metavar="FILE", help="save a report as one HTML page")
    parser.add_argument("--json", action="store_true", help="print JSON")


def record(args: Any) -> list[etdump.Block]:
    """Runs the method and returns its runs. The first, which warms caches, is left out of them."""
    from executorch.runtime import Runtime

    if args.runs < 1:
        raise ValueError(f"--runs must be at least 1, not {args.runs}")
    if args.threads is not None:
        Runtime.get().num_threads = args.threads
    program = common.load_program(args, enable_etdump=True)
    method = program.load_method(common.pick_method(program, args.method))
    inputs = bench.inputs_of(args, method.metadata)
    for _ in range(args.runs + 1):
        method.execute(inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = args.etdump or os.path.join(folder, "profile.etdp")
        program.write_etdump_result_to_file(path)
        return [block for block in etdump.read(path) if block.name == "Execute"][1:]


def _bytes(profile: etdump.Profile) -> int | None:
    """The bytes that a step says it moves."""
    try:
        return int(json.loads(profile.metadata)["bytes"])
    except (ValueError, KeyError, TypeError):
        return None


def leaves(block: etdump.Block) -> list[etdump.Profile]:
    """The spans of a run that hold no other: steps where an instruction has them, else the kernel's own span."""
    with_steps = {(span.chain, span.instruction) for span in block.profiles if span.delegated}
    named = {(s.chain, s.instruction) for s in block.profiles if not s.delegated and s.name != "OPERATOR_CALL"}
    chosen = []
    for span in block.profiles:
        place = (span.chain, span.instruction)
        if span.chain < 0 or (place in with_steps and not span.delegated):
            continue
        if span.name == "OPERATOR_CALL" and place in named:
            continue
        chosen.append(span)
    return sorted(chosen, key=lambda span: span.start)


def total(block: etdump.Block) -> int:
    """The time of a whole run."""
    return next((span.end - span.start for span in block.profiles if span.name == "Method::execute"), 0)


def summarise(runs: list[etdump.Block]) -> dict:
    """Medians over the runs. Times in microseconds; a span that a run has several times, as in a loop, is added up."""
    times: dict[tuple, list[int]] = {}
    sizes: dict[tuple, int | None] = {}
    for block in runs:
        sums: dict[tuple, int] = {}
        for span in leaves(block):
            key = (span.chain, span.instruction, span.name.removeprefix("native_call_"), span.delegated)
            sums[key] = sums.get(key, 0) + span.end - span.start
            sizes.setdefault(key, _bytes(span))
        for key, time in sums.items():
            times.setdefault(key, []).append(time)
    whole = statistics.median(total(block) for block in runs) / 1e3
    rows = []
    for key, values in times.items():
        chain, instruction, name, step = key
        time = statistics.median(values) / 1e3
        size = sizes[key]
        rows.append(
            {
                "name": name, "kind": "step" if step else "kernel", "chain": chain, "instruction": instruction, "us": time,
                "share": time / whole if whole else 0.0, "bytes": size,
                "gb_per_s": size / time / 1e3 if size and time else None,
            }
        )  # fmt: skip
    between = max(0.0, whole - sum(row["us"] for row in rows))
    rows.sort(key=lambda row: -row["us"])
    return {"runs": len(runs), "us": whole, "between_us": between, "rows": rows}


def trace(block: etdump.Block) -> dict:
    """A run in the format of Chrome's trace viewer and Perfetto."""
    spans = sorted(block.profiles, key=lambda span: (span.start, -span.end))
    start = min((span.start for span in spans), default=0)
    events = [
        {
            "name": span.name.removeprefix("native_call_"), "cat": "step" if span.delegated else "runtime", "ph": "X",
            "ts": (span.start - start) / 1e3, "dur": (span.end - span.start) / 1e3, "pid": 1, "tid": 1,
            "args": {"instruction": span.instruction, "bytes": _bytes(span)},
        }
        for span in spans
    ]  # fmt: skip
    return {"traceEvents": events, "displayTimeUnit": "ns"}


def _print_table(args: Any, figures: dict) -> None:
    from rich.table import Table

    console = common.console()
    console.print(f"[bold]{args.file}[/bold]  {figures['us']:.1f} us, median of {figures['runs']} runs", soft_wrap=True)
    table = Table("instruction", "operator or step", "us", "share", "GB/s", box=None, padding=(0, 2, 0, 0))
    for column in (0, 2, 3, 4):
        table.columns[column].justify = "right"
    table.columns[1].overflow = "fold"
    for row in figures["rows"][: args.top]:
        speed = "" if row["gb_per_s"] is None else f"{row['gb_per_s']:.1f}"
        table.add_row(str(row["instruction"]), row["name"], f"{row['us']:.1f}", f"{row['share']:.1%}", speed)
    if len(figures["rows"]) > args.top:
        rest = figures["rows"][args.top :]
        table.add_row("", f"{len(rest)} more", f"{sum(r['us'] for r in rest):.1f}", f"{sum(r['share'] for r in rest):.1%}", "")
    table.add_row("", "between them", f"{figures['between_us']:.1f}", f"{figures['between_us'] / (figures['us'] or 1):.1%}", "")
    console.print(table)


def main(args: Any) -> int:
    runs = record(args)
    figures = {"file": args.file} | summarise(runs)
    if args.trace:
        with open(args.trace, "w", encoding="utf-8") as file:
            json.dump(trace(runs[-1]), file)
    if args.html:
        with open(args.html, "w", encoding="utf-8") as file:
            file.write(profile_page.render(figures, trace(runs[-1])["traceEvents"]))
    if args.json:
        print(json.dumps(figures, indent=2))
    else:
        _print_table(args, figures)
    return 0
