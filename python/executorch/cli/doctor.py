"""``executorch doctor``: what is installed and loaded, what is wrong with it, and whether a program can run here."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from typing import Any

from executorch import __version__
from executorch.cli import common, inspect, ownership
from executorch.cli.device_code import coverage

HELP = "Show what is installed and loaded, who owns which registry, the kernels in use; check a program or a folder."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_program_arguments(parser, optional=True)
    parser.add_argument("--folder", metavar="DIR", help="check the libraries of a package or application instead of ours")
    parser.add_argument("--device-code", metavar="TRAIN", help="check that every library with CUDA device code has that of a release "
                        f"train ({', '.join(coverage.trains())}); a package of such a train is always checked")  # fmt: skip
    parser.add_argument("--machine", default=platform.machine(), help="the processor that the device code's host is (this one)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def package_folder() -> str:
    import executorch

    return os.path.dirname(os.path.abspath(executorch.__file__))


def loaded_libraries() -> list[str] | None:
    """The files that this process has mapped and whose names speak of us; None where the system does not tell."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            paths = {line.split(maxsplit=5)[5].strip() for line in maps if len(line.split(maxsplit=5)) == 6}
    except OSError:
        return None
    ours = ("libexecutorch", "libaoti_", "_portable_lib")
    return sorted(path for path in paths if os.path.basename(path).startswith(ours))


def _process() -> dict:
    """The registries of this process, with the opt-in libraries loaded."""
    from executorch import _operator_libraries
    from executorch.cli import elf
    from executorch.extension.pybindings import _portable_lib as lib
    from executorch.runtime import Runtime

    _operator_libraries.load_all()
    counts: dict[str, int] = {}
    for name in lib._get_operator_names():
        library = lib._get_operator_library(name) or "the application"
        counts[library] = counts.get(library, 0) + 1
    backends = Runtime.get().backend_registry.registered_backend_names
    loaded = loaded_libraries()
    return {
        "operators": counts,
        "backends": {name: lib._is_available(name) for name in backends},
        "threads": Runtime.get().num_threads,
        "instruction_sets": lib._instruction_sets(),
        "loaded": loaded,
        "owners": ownership.owners(filter(None, map(elf.read, loaded or []))),
    }


def _file_problems(args: Any) -> list[str]:
    """What a program lacks to run here; it is loaded, but not run."""
    from executorch.extension.pybindings import _portable_lib as lib

    args.plan = False
    problems = []
    description = inspect.describe(args)
    for method in description["methods"]:
        where = f"{args.file}, method {method['name']}"
        for name in method["missing_operators"]:
            hint = lib._operator_component_hint(name)
            problems.append(f"{where}: the operator {name} is missing" + (f", it comes with {hint}" if hint else ""))
        for delegate in method["delegates"]:
            if not delegate["available"]:
                problems.append(f"{where}: the delegate {delegate['id']} is not available")
        if not problems:
            try:
                common.load_program(args).load_method(method["name"])
            except (RuntimeError, ValueError, OSError) as error:
                problems.append(f"{where}: {error}")
    return problems


def examine(args: Any) -> dict:
    """Everything that the command shows, as plain data."""
    folder = args.folder or package_folder()
    if not os.path.isdir(folder):
        raise ValueError(f"{folder} is no folder")
    elf_files = sys.platform.startswith("linux")
    result = {
        "version": __version__,
        "package": package_folder(),
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "folder": folder,
        "process": _process(),
        "problems": ownership.check_folder(folder) if elf_files else [],
    }
    train = args.device_code or (None if args.folder else coverage.train_of_version(__version__))
    if train and elf_files:
        result["problems"] += coverage.check_folder(folder, train, args.machine)
    for role, paths in result["process"]["owners"].items():
        if len(paths) > 1:
            result["problems"].append(f"the {role} has {len(paths)} owners in this process: {', '.join(paths)}")
    if args.file:
        result["problems"] += _file_problems(args)
    return result


def _print(args: Any, result: dict) -> None:
    console = common.console()
    process = result["process"]

    def line(label: str, text: str) -> None:
        console.print(f"  {label:14}{text}", markup=False, soft_wrap=True)

    console.print(f"[bold]executorch {result['version']}[/bold]")
    line("package", result["package"])
    line("python", f"{result['python']}, {result['machine']}")
    sets = process["instruction_sets"]
    active = next(row["name"] for row in sets if row["active"])
    others = ", ".join(f"{row['name']} ({'can' if row['supported'] else 'cannot'} run here)" for row in sets if not row["active"])
    line("kernels", f"{active} in use; {others}" if others else f"{active} in use")
    line("threads", str(process["threads"]))
    line("delegates", ", ".join(n if up else f"{n} (not available)" for n, up in process["backends"].items()) or "none")
    for library, count in process["operators"].items():
        line("operators", f"{count} of {library}")
    for path in process["loaded"] or []:
        line("loaded", path)
    for role, paths in process["owners"].items():
        line("owner", f"{role}: {', '.join(os.path.basename(path) for path in paths) or 'not loaded'}")
    if result["problems"]:
        console.print()
        for problem in result["problems"]:
            console.print(f"  [red]problem[/red]       {problem}", soft_wrap=True)
    else:
        checked = f"{result['folder']} and {args.file}" if args.file else result["folder"]
        console.print(f"\n  no problems found in {checked}", markup=False, soft_wrap=True)


def main(args: Any) -> int:
    result = examine(args)
    if args.json:
        print(json.dumps(result, indent=2))
    else:
        _print(args, result)
    return 1 if result["problems"] else 0
