"""What the commands share: opening programs, naming types, numbers for people."""

from __future__ import annotations

import argparse
from typing import Any

# By number, as in scalar_type.h.
DTYPE_NAMES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64",
    8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 12: "qint8", 13: "quint8", 14: "qint32",
    15: "bfloat16", 16: "quint4x2", 17: "quint2x4", 22: "bits16", 23: "float8_e5m2", 24: "float8_e4m3fn",
    25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz", 27: "uint16", 28: "uint32", 29: "uint64",
}  # fmt: skip


def add_program_arguments(parser: argparse.ArgumentParser, optional: bool = False, planned: bool = True) -> None:
    """The program that a command works on, and how it is loaded. ``planned``: as usual, unless the user says otherwise."""
    parser.add_argument("file", metavar="FILE", help="the program, a .pte file", **({"nargs": "?"} if optional else {}))
    parser.add_argument("--data", action="append", default=[], metavar="FILE", help="a .ptd data file; may be repeated")
    if planned:
        parser.add_argument("--no-plan", action="store_true", help="run every instruction as the program has it")
    parser.add_argument("--cache-dir", metavar="DIR", help="share packed weights with other processes through this folder")
    parser.add_argument("--allow-native-code", nargs="?", const="", metavar="SHA256", help="run machine code that the program holds "
                        "(AOTInductor); with a digest, no other code")  # fmt: skip


def add_method_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", help="the method to run (default: the only one, or forward)")


def add_call_arguments(parser: argparse.ArgumentParser) -> None:
    """Which method a command runs again and again, on what, and with how many threads."""
    add_method_argument(parser)
    parser.add_argument("--input", action="append", default=[], metavar="VALUE", help="as for run; default: made up by shape")
    parser.add_argument("--threads", type=int, metavar="N", help="threads to use")


def load_program(args: Any, **options: Any):
    """Opens the program that a command was given."""
    from executorch import _operator_libraries
    from executorch.runtime import Runtime

    _operator_libraries.load_all()
    if getattr(args, "allow_native_code", None) is not None:
        from executorch.backends import aoti

        options["backend_options"] = aoti.trust(args.allow_native_code or None)
    return Runtime.get().load_program(
        args.file, data_path=args.data or None, plan=not args.no_plan, cache_dir=args.cache_dir, **options
    )


def tensor_text(info: Any) -> str:
    """``float32[1, 3, 224, 224]``, with the order of dimensions when it is not the usual one."""
    text = f"{DTYPE_NAMES.get(info.dtype(), info.dtype())}{list(info.sizes())}"
    order = info.dim_order()
    return text if list(order) == sorted(order) else f"{text} in order {list(order)}"


def values_text(meta: Any, side: str) -> list[str]:
    """A line for each input or output of a method."""
    kinds = getattr(meta, f"{side}_kinds")()
    tensor = getattr(meta, f"{side}_tensor_meta")
    return [tensor_text(tensor(i)) if kind == "Tensor" else kind for i, kind in enumerate(kinds)]


def bytes_text(count: int) -> str:
    """``46.8 MB``: decimal units, as file managers show them."""
    value = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if abs(value) < 1000 or unit == "GB":
            return f"{count} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError("unreachable")


def console(stderr: bool = False):
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def pick_method(program: Any, name: str | None) -> str:
    """The method that was asked for, or the only one, or ``forward``."""
    names = sorted(program.method_names)
    if name is not None:
        if name not in names:
            raise ValueError(f"the program has no method {name!r}: it has {', '.join(names)}")
        return name
    if len(names) == 1:
        return names[0]
    if "forward" in names:
        return "forward"
    raise ValueError(f"the program has several methods, name one with --method: {', '.join(names)}")
