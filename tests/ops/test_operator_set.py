"""No operator of the original is missing, and each has its place and its arguments."""

import pathlib
import re
import subprocess
import sys

import pytest
import torch

from ops import conftest
from ops.rows import parse_rows

# Full names with the arguments, as the original's release 1.5.1 lists them; none for its primitive operators, whose kinds of
# numbers are said more closely here.
LISTED = pathlib.Path(__file__).with_name("operators_of_the_original.txt")
LIBRARIES = {
    "aten": "CPU operators", "dim_order_ops": "CPU operators", "et_copy": "CPU operators",
    "executorch_prim": "primitive operators", "quantized_decomposed": "quantized operators", "llama": "LLM operators",
    "preprocess": "LLM operators",
}  # fmt: skip
# Parts of the runtime, as they work on symbols.
IN_THE_RUNTIME = ("aten::sym_size.int", "aten::sym_numel", "aten::_local_scalar_dense")
# Core ATen operators that no program holds.
NEVER_IN_A_PROGRAM = {
    "aten::resize_": "programs are functional, no tensor of theirs is resized in place",
    "aten::sym_is_contiguous": "memory formats are settled at export",
    "aten::sym_stride.int": "strides follow the dim order, the exporter computes with them",
    "aten::sym_storage_offset": "each tensor of a program has a storage of its own",
}

DESCRIBE = """
import sys
import executorch.kernels.quantized, executorch.extension.llm.custom_ops.custom_ops
from executorch.extension.pybindings import _portable_lib as lib
for name in sys.stdin.read().split():
    print(name, lib._get_operator_library(name), lib._get_operator_schema(name), sep="\\t")
"""


def _listed():
    for line in LISTED.read_text().splitlines():
        name, _, arguments = line.partition("(")
        yield name, f"({arguments}" if arguments else None


@pytest.fixture(scope="module")
def registered():
    """Name -> (library, schema)."""
    names = "\n".join(name for name, _ in _listed())
    result = subprocess.run([sys.executable, "-c", DESCRIBE], input=names, capture_output=True, text=True, check=True)
    return {name: rest for name, *rest in (line.split("\t") for line in result.stdout.splitlines())}


def test_every_operator_is_in_its_library(registered):
    def library(name):
        return "primitive operators" if name in IN_THE_RUNTIME else LIBRARIES[name.split("::")[0]]

    wrong = {name: registered[name][0] for name, _ in _listed() if registered[name][0] != library(name)}
    assert not wrong


def test_arguments_are_those_of_the_original(registered):
    def plain(schema):
        return re.sub(r"\s", "", schema)

    wrong = {name: registered[name][1] for name, arguments in _listed() if arguments and plain(registered[name][1]) != plain(arguments)}
    assert not wrong


def _core_overloads():
    # dir(torch.ops.aten) lists only what someone has asked for before.
    for name in sorted(torch._C._dispatch_get_all_op_names()):
        if not name.startswith("aten::"):
            continue
        packet, _, overload = name.removeprefix("aten::").partition(".")
        found = getattr(getattr(torch.ops.aten, packet), overload or "default")
        if torch.Tag.core in found.tags:
            yield found


def test_core_aten_operators_have_a_row():
    rows = parse_rows(conftest.schemas())
    computed = {overload for row in rows.values() for overload in (*row.exact, *row.scalarised)}
    core = list(_core_overloads())
    assert len(core) > 150
    missing = {o.name() for o in core if o not in computed and o.name() not in rows and o.name() not in NEVER_IN_A_PROGRAM}
    assert not missing
