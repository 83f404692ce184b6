"""EXECUTORCH_CPU runs the variant that it names: dispatch, read from the loaded tables, and disassembly."""

import platform
import re
import subprocess

import pytest

from conftest import ROOT

# The library of the build tree: the installed one is the same without the names of local symbols.
LIBRARY = ROOT / "build" / "release" / "lib" / "libexecutorch_compute.so"

# Instruction set -> (what its code must hold, what it must not hold), as objdump prints instructions.
CODE = {
    "x86_64": {
        "baseline": (r"%xmm", r"%[yz]mm|\tv[a-z]"),
        "avx2": (r"\tvfmadd\w+ .*%ymm", r"%zmm|%k[1-7]|%[xyz]mm(1[6-9]|2\d|3[01])\b"),
        "avx512": (r"\tvfmadd\w+ .*%zmm", None),
    },
    "aarch64": {
        "baseline": (r"\tfmla\t", r"\t[us]dot\t|\t[us]?mmla\t|\tbfmmla\t"),
        "dotprod": (r"\tsdot\t", r"\t[us]?mmla\t|\tbfmmla\t"),
        "i8mm": (r"\tsmmla\t|\tusmmla\t", None),
    },
}[platform.machine()]

# Prints the instruction set in use, then per table where it lies and the addresses that it holds, relative to the library.
READ_TABLES = """
import ctypes, sys
library, *tables = sys.argv[1:]
loaded = ctypes.CDLL(library)
name = loaded._ZN10executorch7compute8isa_nameENS0_3IsaE
name.restype = ctypes.c_char_p
print(name(loaded._ZN10executorch7compute10active_isaEv()).decode())
accessors = [(table.split(":")[0], int(table.split(":")[1])) for table in tables]
base = min(int(line.split("-")[0], 16) for line in open("/proc/self/maps") if line.rstrip().endswith(library))
for accessor, size in accessors:
    function = loaded[accessor]
    function.restype = ctypes.c_void_p
    address = function()
    words = (ctypes.c_uint64 * (size // 8)).from_address(address)
    print(accessor, address - base, *(word - base for word in words if word > base))
"""


def _tool(*command):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def symbols():
    """Address -> demangled name, and demangled name -> size, of all symbols."""
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")
    rows = re.findall(r"^(\w+) (\w+) \w (.+)$", _tool("nm", "-C", "-S", LIBRARY), re.MULTILINE)
    return {int(address, 16): name for address, _, name in rows}, {name: int(size, 16) for _, size, name in rows}


def _tables(sizes):
    return {match[1]: size for name, size in sizes.items() if (match := re.fullmatch(r"executorch::compute::isa_baseline::(\w+)_table", name))}


@pytest.mark.parametrize("isa", CODE)
def test_dispatch(symbols, run_python, isa):
    names, sizes = symbols
    tables = _tables(sizes)
    assert len(tables) >= 8
    requests = [f"_ZN10executorch7compute{len(table)}{table}Ev:{size}" for table, size in tables.items()]
    environment = {"EXECUTORCH_CPU": isa, "LD_LIBRARY_PATH": str(LIBRARY.parent)}
    active, *answers = run_python(READ_TABLES, str(LIBRARY), *requests, **environment).splitlines()
    if active != isa:
        pytest.skip(f"this machine does not run {isa}")
    for table, line in zip(tables, answers, strict=True):
        _, place, *targets = line.split()
        assert names[int(place)] == f"executorch::compute::isa_{isa}::{table}_table"
        functions = [names[int(target)] for target in targets if int(target) in names]
        assert functions, table
        assert all(f"isa_{isa}::" in function for function in functions), (table, functions)


@pytest.fixture(scope="module")
def disassembly(symbols):
    """Instruction set -> the instructions of its functions."""
    code = {isa: [] for isa in CODE}
    kept = None
    for line in _tool("objdump", "-d", "-C", "--no-show-raw-insn", LIBRARY).splitlines():
        if line.endswith(">:"):
            found = re.search(r"compute::isa_(\w+)::", line)
            kept = code[found[1]] if found else None
        elif kept is not None:
            kept.append(line)
    return code


# The instruction set that multiplies pairs of bfloat16, and how.
PAIRS = {"x86_64": ("avx512", r"\tvdpbf16ps .*%zmm"), "aarch64": ("i8mm", r"\tbfdot\t")}[platform.machine()]


def test_pairs_of_bfloat16_are_multiplied_by_their_instruction(disassembly):
    for isa, lines in disassembly.items():
        assert any(re.search(PAIRS[1], line) for line in lines) == (isa == PAIRS[0]), isa


@pytest.mark.parametrize("isa", CODE)
def test_disassembly(disassembly, isa):
    needed, forbidden = CODE[isa]
    lines = disassembly[isa]
    assert any(re.search(needed, line) for line in lines)
    strangers = [line for line in lines if forbidden and re.search(forbidden, line)]
    assert not strangers, strangers[:5]
