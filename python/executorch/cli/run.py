"""``executorch run``: run a method on files."""

from __future__ import annotations

import argparse
import os
from typing import Any

from executorch.cli import common

HELP = "Run a method once on inputs from .npy or .npz files and show or save the outputs."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    common.add_program_arguments(parser)
    common.add_method_argument(parser)
    parser.add_argument(
        "--input", action="append", default=[], metavar="VALUE",
        help="an input, in order: a .npy file, a .npz file (all its arrays, in order), or a number; may be repeated",
    )  # fmt: skip
    parser.add_argument("--output-dir", metavar="DIR", help="save outputs here as output_0.npy, output_1.npy, …")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="give up after so long")


def read_inputs(values: list[str]) -> list[Any]:
    """Inputs from the command line."""
    import numpy as np

    inputs: list[Any] = []
    for value in values:
        if value.endswith(".npz"):
            with np.load(value, allow_pickle=False) as arrays:
                inputs.extend(arrays[name] for name in arrays.files)
        elif value.endswith(".npy"):
            inputs.append(np.load(value, allow_pickle=False))
        else:
            inputs.append(_number(value))
    return inputs


def _number(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise ValueError(f"input {text!r} is neither a .npy or .npz file nor a number")


def as_array(value: Any) -> Any:
    """An output as something numpy can save: bfloat16 becomes float32."""
    import numpy as np

    if hasattr(value, "float") and not isinstance(value, np.ndarray):
        return np.asarray(value.float())
    return np.asarray(value)


def main(args: Any) -> int:
    import numpy as np

    program = common.load_program(args)
    name = common.pick_method(program, args.method)
    outputs = program.load_method(name).execute(read_inputs(args.input), timeout=args.timeout)
    if args.output_dir:
        os.makedirs(args.output_dir, exist_ok=True)
    for index, value in enumerate(outputs):
        array = as_array(value)
        print(f"output {index}: {array.dtype}{list(array.shape)}")
        if args.output_dir:
            np.save(os.path.join(args.output_dir, f"output_{index}.npy"), array)
        else:
            print(np.array2string(array, threshold=64, edgeitems=4))
    if args.output_dir:
        print(f"saved to {args.output_dir}")
    return 0
