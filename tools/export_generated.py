#!/usr/bin/env python3
"""Exports programs that are made from seeds, with the original's exporter.

    .venv-original/bin/python tools/export_generated.py OUT_DIR [--count N] [--first SEED] [--seeds SEED ...]

Each seed becomes a folder <seed>_<family>, see program_export.py. What OUT_DIR already holds of this version of the
generator is kept.
"""

import argparse
import functools
import hashlib
import multiprocessing
import os
import pathlib
import shutil
import sys
import time
import traceback

import torch

import generated_programs
from program_export import write_program

HERE = pathlib.Path(__file__).resolve().parent


def generator_digest():
    digest = hashlib.sha256(torch.__version__.encode())
    for path in [HERE / "program_export.py", *sorted((HERE / "generated_programs").glob("*.py"))]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def folder_of(seed, root):
    return root / f"{seed:04}_{generated_programs.FAMILIES[seed % len(generated_programs.FAMILIES)].__name__}"


def export(folder, digest):
    """Writes one program; returns what there is to say about a failure."""
    start = time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)
    try:
        size = write_program(generated_programs.build(int(folder.name[:4])), folder)
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        return f"{folder.name}: not exported\n{traceback.format_exc()}"
    (folder / ".complete").write_text(digest)
    print(f"{folder.name}: {size} bytes, {time.perf_counter() - start:.1f} s", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out_dir", type=pathlib.Path)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seeds", type=int, nargs="*", help="these instead")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    args = parser.parse_args()
    seeds = args.seeds if args.seeds is not None else range(args.first, args.first + args.count)
    digest = generator_digest()
    folders = [folder_of(seed, args.out_dir) for seed in seeds]
    done = lambda folder: (folder / ".complete").exists() and (folder / ".complete").read_text() == digest
    missing = [folder for folder in folders if not done(folder)]
    if not missing:
        return
    # Imported before the workers fork, so that it is paid for once.
    import executorch.exir  # noqa: F401

    torch.set_num_threads(1)
    with multiprocessing.get_context("fork").Pool(args.jobs) as pool:
        failures = [text for text in pool.imap_unordered(functools.partial(export, digest=digest), missing) if text]
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
