#!/usr/bin/env python3
"""Exports methods of one operator each through the original's XNNPACK partitioner.

    .venv-original/bin/python tools/export_delegated.py OUT_DIR

Each group of methods and each element type gives a folder with model.pte, calls.npz (PyTorch's results, types of 16 bits as
floats) and program.json (method of each call, element type). What OUT_DIR already holds of this version is kept.
"""

import argparse
import functools
import hashlib
import inspect
import json
import multiprocessing
import os
import pathlib
import shutil
import sys
import traceback

import numpy as np
import torch

import delegated_programs
from program_export import as_numpy

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
# The partitioner delegates little else in this type.
BFLOAT16_GROUPS = ("unary", "linear")


def digest_of(group):
    """Of all that a group's programs are made from."""
    digest = hashlib.sha256(torch.__version__.encode())
    for path in [HERE / "export_delegated.py", HERE / "delegated_programs" / "method.py",
                 inspect.getsourcefile(delegated_programs.GROUPS[group])]:  # fmt: skip
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()


def record_calls(methods):
    arrays, names = {}, []
    for method in methods:
        for inputs in method.calls:
            outputs = method.module(*[tensor.clone() for tensor in inputs])
            outputs = outputs if isinstance(outputs, (tuple, list)) else [outputs]
            for side, tensors in (("in", inputs), ("out", outputs)):
                arrays |= {f"c{len(names)}_{side}{i}": as_numpy(tensor) for i, tensor in enumerate(tensors)}
            names.append(method.name)
    return arrays, names


def write_group(folder, group, dtype):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    torch.manual_seed(7)
    methods = list(delegated_programs.GROUPS[group](dtype))
    with torch.no_grad():
        arrays, names = record_calls(methods)
    programs = {m.name: torch.export.export(m.module, m.inputs, dynamic_shapes=m.dynamic_shapes) for m in methods}
    edge = to_edge_transform_and_lower(programs, partitioner=[XnnpackPartitioner(enable_bf16=dtype == torch.bfloat16)])
    delegated = [name for name in programs if "executorch_call_delegate" in str(edge.exported_program(name).graph)]
    if len(delegated) * 2 < len(programs):
        raise RuntimeError(f"only {delegated} were delegated")
    folder.mkdir(parents=True)
    with open(folder / "model.pte", "wb") as file:
        edge.to_executorch().write_to_file(file)
    np.savez_compressed(folder / "calls.npz", **arrays)
    about = {"methods": names, "type": str(dtype).removeprefix("torch."), "delegated": delegated}
    (folder / "program.json").write_text(json.dumps(about, indent=1) + "\n")


def export(job, out_dir):
    """Writes one group; returns what there is to say about a failure."""
    group, kind = job
    folder, digest = out_dir / f"{group}_{kind}", digest_of(group)
    if (folder / ".complete").exists() and (folder / ".complete").read_text() == digest:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    try:
        write_group(folder, group, TYPES[kind])
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        return f"{folder.name}: not exported\n{traceback.format_exc()}"
    (folder / ".complete").write_text(digest)
    print(folder.name, flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out_dir", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", help="names of groups")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    groups = args.only or delegated_programs.GROUPS
    jobs = [(group, kind) for group in groups for kind in TYPES if kind != "bf16" or group in BFLOAT16_GROUPS]
    run = functools.partial(export, out_dir=args.out_dir)
    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
        failures = [text for text in pool.imap_unordered(run, jobs) if text]
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
