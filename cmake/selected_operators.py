"""Chooses the operators of a minimal build, by name and from what programs call.

    selected_operators.py OUTPUT SOURCES FLATC [NAME|PROGRAM.pte]...

Writes into the folder OUTPUT: kernels/support/selection.h, which takes the place of the header of that name; register.cpp, which
registers the tables that are left; sources.txt, the files that define them.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

FAMILIES = ("cpu", "quantized", "llm")


def rows_in(file: pathlib.Path) -> set[str]:
    """The operators that a file has table rows for."""
    return set(re.findall(r'\brow<"([^"]+)"', file.read_text(encoding="utf-8")))


def table_of(file: pathlib.Path) -> str:
    """The function that gives a file's table."""
    return re.search(r"^Table (\w+)\(\) \{", file.read_text(encoding="utf-8"), re.MULTILINE)[1]


def operators_of(program: pathlib.Path, flatc: str, schema: pathlib.Path) -> set[str]:
    """The operators that a program calls; ends with a sentence when it needs more than operators."""
    with tempfile.TemporaryDirectory() as folder:
        command = [flatc, "--json", "--raw-binary", "--strict-json", "-o", folder, schema, "--", program]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"{program} is no program: {(result.stderr + result.stdout).rpartition('error:')[2].strip()}")
        text = (pathlib.Path(folder) / f"{program.stem}.json").read_text(encoding="utf-8", errors="replace")
    # JSON has no words for these numbers.
    plans = json.loads(re.sub(r": (?:[-+]?inf|[-+]?nan)\b", ": 0", text))["execution_plan"]
    delegates = {delegate["id"] for plan in plans for delegate in plan.get("delegates", [])}
    if delegates:
        sys.exit(f"{program} needs the delegate {', '.join(sorted(delegates))}, which a minimal build lacks: export it without")
    calls = [operator for plan in plans for operator in plan.get("operators", [])]
    return {".".join(filter(None, (call["name"], call.get("overload")))) for call in calls}


def wanted_operators(arguments: list[str], flatc: str, schema: pathlib.Path) -> set[str]:
    wanted = set()
    for argument in arguments:
        wanted |= operators_of(pathlib.Path(argument), flatc, schema) if argument.endswith(".pte") else {argument}
    return wanted


def write_if_changed(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def selection_header(names: list[str]) -> str:
    list_of_names = "".join(f'\n    "{name}",' for name in names)
    return f"""// Generated: the operators of this build.
#pragma once

#include <string_view>

namespace executorch {{
namespace kernels {{

constexpr bool is_selected(std::string_view name) {{
  constexpr std::string_view kSelected[] = {{{list_of_names}
  }};
  for (std::string_view selected : kSelected) {{
    if (selected == name) return true;
  }}
  return false;
}}

}}  // namespace kernels
}}  // namespace executorch
"""


def registration(tables: list[str]) -> str:
    declarations = "".join(f"Table {table}();\n" for table in tables)
    return f"""// Generated: registers the operators of this build when the program starts.
#include <iterator>

#include "kernels/support/registration.h"

namespace executorch {{
namespace kernels {{

{declarations}
namespace {{
constexpr Table (*kTables[])() = {{{", ".join(tables)}}};
}}  // namespace

}}  // namespace kernels
}}  // namespace executorch

/// By this symbol the linker keeps this file.
extern "C" executorch::runtime::Error executorch_selected_operators;
executorch::runtime::Error executorch_selected_operators =
    executorch::kernels::register_tables("selected operators", {{executorch::kernels::kTables, std::size(executorch::kernels::kTables)}});
"""


def main(output: pathlib.Path, source: pathlib.Path, flatc: str, arguments: list[str]) -> None:
    files = [file for family in FAMILIES for file in sorted((source / "src/kernels" / family).rglob("*_ops.cpp"))]
    rows = {file: rows_in(file) for file in files}
    in_runtime = set(re.findall(r'"(aten::[^"]+)"', (source / "src/kernels/prim/prim_table.cpp").read_text(encoding="utf-8")))
    wanted = wanted_operators(arguments, flatc, source / "schema" / "program.fbs") - in_runtime
    wanted = {name for name in wanted if not name.startswith("executorch_prim::")}
    unknown = wanted - set().union(*rows.values())
    if unknown:
        sys.exit(f"there are no operators {', '.join(sorted(unknown))}; docs/OPS.md lists those that there are")
    chosen = [file for file in files if rows[file] & wanted]
    write_if_changed(output / "kernels" / "support" / "selection.h", selection_header(sorted(wanted)))
    write_if_changed(output / "register.cpp", registration([table_of(file) for file in chosen]))
    write_if_changed(output / "sources.txt", "".join(f"{file}\n" for file in chosen))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
