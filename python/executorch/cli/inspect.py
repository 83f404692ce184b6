"""``executorch inspect``: what a program contains."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from executorch.cli import common

HELP = "Show the methods of a program, their inputs and outputs, operators, delegates, sizes, and what is missing here."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_program_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--plan", action="store_true", help="load the methods and show what planning does with them")


def describe(args: Any) -> dict:
    """Everything that the command knows of the program, as plain data."""
    from executorch.extension.pybindings import _portable_lib as lib

    program = common.load_program(args)
    contents = lib._inspect_program(program._program)
    result = {
        "file": args.file,
        "file_bytes": os.path.getsize(args.file),
        "program_bytes": os.path.getsize(args.file) - contents["segment_bytes"],
        "constants": contents["constants"],
        "constant_bytes": contents["constant_bytes"],
        "segment_bytes": contents["segment_bytes"],
        "named_data": contents["named_data"],
        "methods": [],
    }
    for method in contents["methods"]:
        meta = program.metadata(method["name"])
        arenas = meta.arena_sizes()
        row = {
            "name": method["name"],
            "inputs": common.values_text(meta, "input"),
            "outputs": common.values_text(meta, "output"),
            "instructions": meta.num_instructions(),
            "operators": method["operators"],
            "missing_operators": [op["name"] for op in method["operators"] if not op["registered"]],
            "delegates": [dict(d, available=lib._is_available(d["id"])) for d in method["delegates"]],
            "arena_bytes": arenas,
            "peak_bytes": contents["segment_bytes"] + sum(arenas),
        }
        if args.plan:
            loaded = program.load_method(method["name"])
            row["plan"] = loaded.plan
            row["plan_bytes"] = loaded._method._plan_memory_bytes()
            row["peak_bytes"] += row["plan_bytes"]
        result["methods"].append(row)
    return result


def _print_method(console: Any, method: dict) -> None:
    from rich.table import Table

    console.print(f"\n[bold]{method['name']}[/bold]  {method['instructions']} instructions")
    for side in ("inputs", "outputs"):
        for index, text in enumerate(method[side]):
            console.print(f"  {side[:-1]:6} {index}  {text}", markup=False)
    console.print(
        f"  memory    arenas {common.bytes_text(sum(method['arena_bytes']))}, at most "
        f"{common.bytes_text(method['peak_bytes'])} with constants" + (" and plan" if "plan" in method else "")
    )
    for delegate in method["delegates"]:
        state = "" if delegate["available"] else "  [red]not available here[/red]"
        console.print(f"  delegate  {delegate['id']} x {delegate['count']}{state}")
    if method["operators"]:
        table = Table("operator", "calls", "here", box=None, padding=(0, 2))
        table.columns[1].justify = "right"
        for op in method["operators"]:
            table.add_row(op["name"], str(op["calls"]), "yes" if op["registered"] else "[red]missing[/red]")
        console.print(table)
    for name in method["missing_operators"]:
        from executorch.extension.pybindings import _portable_lib as lib

        hint = lib._operator_component_hint(name)
        console.print(f"  [red]{name} is missing[/red]" + (f": it comes with {hint}" if hint else ""))
    if "plan" in method:
        console.print(f"  plan      {len(method['plan'])} lines, {common.bytes_text(method['plan_bytes'])}")
        for line in method["plan"]:
            console.print("    " + line, markup=False, soft_wrap=True)


def main(args: Any) -> int:
    result = describe(args)
    if args.json:
        print(json.dumps(result, indent=2))
        return 0
    console = common.console()
    console.print(f"[bold]{result['file']}[/bold]  {common.bytes_text(result['file_bytes'])}", soft_wrap=True)
    console.print(
        f"  program {common.bytes_text(result['program_bytes'])}, {result['constants']} constants in "
        f"{common.bytes_text(result['constant_bytes'])}, all segments {common.bytes_text(result['segment_bytes'])}"
        + (f", {result['named_data']} named data" if result["named_data"] else "")
    )
    for method in result["methods"]:
        _print_method(console, method)
    return 0
