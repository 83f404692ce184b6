"""``executorch compare``: the first operator whose result differs from a reference run."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from typing import Any

from executorch.cli import bench, common, etdump, run

HELP = "Compare every intermediate result with a reference run, and name the first operator that diverges."

# In the folder of a reference run, which the runtime or the original has written.
_PROFILE, _BUFFER = "profile.etdp", "debug.bin"
_FIRST_BUFFER = 64 << 20
_LARGEST_BUFFER = 16 << 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_program_arguments(parser, planned=False)
    common.add_method_argument(parser)
    parser.add_argument("--input", action="append", default=[], metavar="VALUE", help="as for run; default: those of the reference")
    folder = parser.add_mutually_exclusive_group(required=True)
    folder.add_argument("--reference", metavar="DIR", help=f"the reference run: {_PROFILE} and {_BUFFER} (ETDump), input_0.npy, …")
    folder.add_argument("--record", metavar="DIR", help="make this run the reference")
    parser.add_argument("--planned", action="store_true", help="run planned; results inside of a plan are not compared then")
    parser.add_argument("--rtol", type=float, default=1e-3, help="relative difference that is no divergence (default 1e-3)")
    parser.add_argument("--atol", type=float, default=1e-5, help="absolute difference that is no divergence (default 1e-5)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _inputs(args: Any, meta: Any) -> list[Any]:
    if args.input:
        return run.read_inputs(args.input)
    if args.record:
        return bench.made_up_inputs(meta)
    import numpy as np

    paths = [os.path.join(args.reference, f"input_{index}.npy") for index in range(meta.num_inputs())]
    return [np.load(path, allow_pickle=False) for path in paths]


def _record_once(args: Any, folder: str, buffer_bytes: int) -> tuple[etdump.Block, list[Any]]:
    program = common.load_program(args, enable_etdump=True, debug_buffer_size=buffer_bytes)
    method = program.load_method(common.pick_method(program, args.method))
    inputs = _inputs(args, method.metadata)
    method.execute(inputs)
    paths = os.path.join(folder, _PROFILE), os.path.join(folder, _BUFFER)
    program.write_etdump_result_to_file(*paths)
    return [block for block in etdump.read(*paths) if block.name == "Execute"][-1], inputs


def _silent(block: etdump.Block) -> set[tuple[int, int]]:
    """Instructions that ran and logged nothing."""
    ran = {(span.chain, span.instruction) for span in block.profiles if span.name == "OPERATOR_CALL"}
    return ran - {(entry.chain, entry.instruction) for entry in block.logged}


def record(args: Any, folder: str) -> tuple[etdump.Block, list[Any]]:
    """Runs the method with all results logged; the run and its inputs. What does not fit into the log is missing from it, so the
    log grows until more room shows no more."""
    size = _FIRST_BUFFER
    block, inputs = _record_once(args, folder, size)
    while (silent := _silent(block)) and size < _LARGEST_BUFFER:
        size *= 4
        block, inputs = _record_once(args, folder, size)
        if _silent(block) == silent:
            break
    return block, inputs


def difference(ours: Any, theirs: Any, rtol: float, atol: float) -> dict:
    """How far two values lie apart, and whether that is a divergence."""
    import numpy as np

    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape or a.dtype != b.dtype:
        return {"diverges": True, "reason": f"{a.dtype}{list(a.shape)} against {b.dtype}{list(b.shape)}"}
    if a.size == 0:
        return {"diverges": False, "max_abs": 0.0, "max_rel": 0.0}
    with np.errstate(all="ignore"):
        x, y = a.astype(np.float64), b.astype(np.float64)
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        apart = np.where(same, 0.0, np.abs(x - y))
        apart = np.where(np.isnan(apart), np.inf, apart)
        relative = np.where(same, 0.0, apart / np.maximum(np.abs(y), np.finfo(np.float64).tiny))
        allowed = atol + rtol * np.abs(y) if a.dtype.kind == "f" else 0.0
        # Infinities that differ are no multiple of each other.
        diverges = bool((~same & ~(np.isfinite(apart) & (apart <= allowed))).any())
    return {"diverges": diverges, "max_abs": float(apart.max()), "max_rel": float(relative.max())}


def compare_blocks(ours: etdump.Block, theirs: etdump.Block, rtol: float, atol: float) -> list[dict]:
    """A row for each value that both runs have logged, in the order of our run."""
    reference: dict[tuple, list[etdump.Logged]] = {}
    for entry in theirs.logged:
        reference.setdefault((entry.chain, entry.instruction, entry.output), []).append(entry)
    names = {
        (span.chain, span.instruction): span.name.removeprefix("native_call_")
        for span in ours.profiles
        if not span.delegated and span.name != "OPERATOR_CALL"
    }
    rows = []
    for entry in ours.logged:
        waiting = reference.get((entry.chain, entry.instruction, entry.output))
        if not waiting:
            continue
        other = waiting.pop(0)
        name = "output of the program" if entry.output else names.get((entry.chain, entry.instruction), entry.name or "?")
        row = {"name": name, "chain": entry.chain, "instruction": entry.instruction}
        if len(entry.values) != len(other.values):
            rows.append(row | {"diverges": True, "reason": f"{len(entry.values)} values against {len(other.values)}"})
        rows += [row | difference(a, b, rtol, atol) for a, b in zip(entry.values, other.values)]
    return rows


def _print(result: dict) -> None:
    first = result["first"]
    if first is None:
        print(f"all {result['compared']} results agree; the largest difference is {result['max_abs']:.3g}")
        return
    how = first.get("reason") or f"differs by up to {first['max_abs']:.3g} ({first['max_rel']:.3g} of the reference)"
    where = "" if first["name"] == "output of the program" else f", instruction {first['instruction']}"
    print(f"first divergence: {first['name']}{where}: {how}")
    print(f"{result['diverging']} of {result['compared']} results diverge")


def main(args: Any) -> int:
    import numpy as np

    args.no_plan = not args.planned
    if args.record:
        os.makedirs(args.record, exist_ok=True)
        block, inputs = record(args, args.record)
        for index, value in enumerate(inputs):
            np.save(os.path.join(args.record, f"input_{index}.npy"), run.as_array(value))
        print(f"{len(block.logged)} results recorded in {args.record}")
        return 0
    theirs = [b for b in etdump.read(*(os.path.join(args.reference, n) for n in (_PROFILE, _BUFFER))) if b.name == "Execute"]
    if not theirs:
        raise ValueError(f"{os.path.join(args.reference, _PROFILE)} holds no run of a method")
    with tempfile.TemporaryDirectory() as folder:
        ours, _ = record(args, folder)
    rows = compare_blocks(ours, theirs[-1], args.rtol, args.atol)
    if not rows:
        raise ValueError("the two runs have no result in common: the programs differ, or the reference was recorded without results")
    diverging = [row for row in rows if row["diverges"]]
    result = {
        "compared": len(rows), "diverging": len(diverging), "first": diverging[0] if diverging else None,
        "max_abs": max(row.get("max_abs", 0.0) for row in rows),
    }  # fmt: skip
    if args.json:
        print(json.dumps(result, indent=2))
    else:
        _print(result)
    return 1 if diverging else 0
