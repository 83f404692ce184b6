#!/usr/bin/env python3
"""Writes docs/OPS.md from the operator tables of the installed wheel.

    tools/operator_reference.py docs/OPS.md
"""

import importlib
import pathlib
import sys

# Operator library, as registered -> how an application and a script get it.
LIBRARIES = {
    "primitive operators": ("In the runtime itself: `executorch::runtime`.", None),
    "CPU operators": ("Link `executorch::kernels`; in Python they are there after `import executorch.runtime`.", None),
    "quantized operators": (
        "Opt in: link `executorch::kernels_quantized`; in Python `import executorch.kernels.quantized`.",
        "executorch.kernels.quantized",
    ),
    "LLM operators": (
        "Opt in: link `executorch::kernels_llm`; in Python `import executorch.extension.llm.custom_ops.custom_ops`.",
        "executorch.extension.llm.custom_ops.custom_ops",
    ),
}
HEAD = """# Operators

Every operator that this release registers, as the tables of the operator libraries list them. This page is made by
`tools/operator_reference.py`. `executorch inspect FILE` tells which of its operators a program needs and which are missing.
Element types, layouts and promotion follow PyTorch; [operator-types.md](operator-types.md) has the table
of what is covered, and lists what is refused.
"""


def reference() -> str:
    from executorch.extension.pybindings import _portable_lib as lib

    for _, module in LIBRARIES.values():
        if module:
            importlib.import_module(module)
    sections = {library: [] for library in LIBRARIES}
    for name in lib._get_operator_names():
        sections[lib._get_operator_library(name)].append(f"| `{name}` | `{lib._get_operator_schema(name)}` |")
    parts = [HEAD]
    for library, rows in sections.items():
        title = library[0].upper() + library[1:]
        parts.append(f"## {title} ({len(rows)})\n\n{LIBRARIES[library][0]}\n\n| operator | arguments |\n|---|---|\n" + "\n".join(sorted(rows)) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    pathlib.Path(sys.argv[1]).write_text(reference())
