#!/usr/bin/env python3
"""Damages files and runs each in a child process through the Python interface.

    .venv/bin/python fuzz/mutate.py [--count 2000] [--seed 0] [--keep DIR]

No damaged file may crash the child, keep it for over 5 seconds, or make it take memory that the file does not justify.
Children take many files each, so that a start is not paid for every file; a crash is traced to its file.
"""

import argparse
import json
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data"
BATCH = 100
SECONDS = 5
MEMORY = 512 << 20

CHILD = r"""
import json, sys, time
import numpy as np
from executorch.runtime import Runtime, Verification
NAMES = {0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64", 11: "bool"}
runtime = Runtime.get()

def peak():
    # Most memory since reset_peak(), in bytes.
    with open("/proc/self/status") as status:
        return next(int(row.split()[1]) for row in status if row.startswith("VmHWM")) * 1024

def reset_peak():
    with open("/proc/self/clear_refs", "w") as control:
        control.write("5")

for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps({"start": job["file"]}), flush=True)
    reset_peak()
    began, outcome = time.monotonic(), "ran"
    try:
        program = runtime.load_program(job["file"], data_path=job["data"], memory_limit=64 << 20, plan=job["plan"],
                                       verification=getattr(Verification, job["verification"]))
        for name in sorted(program.method_names):
            method = program.load_method(name)
            meta = method.metadata
            inputs = []
            for i, kind in enumerate(meta.input_kinds()):
                if kind == "Tensor":
                    info = meta.input_tensor_meta(i)
                    if info.nbytes() > 64 << 20:
                        raise MemoryError("an input too large for this test")
                    inputs.append(np.zeros(info.sizes(), NAMES.get(info.dtype(), "float32")))
                else:
                    inputs.append(1)
            method.execute(inputs, timeout=2)
    except MemoryError:
        outcome = "too large"
    except (RuntimeError, KeyError, IndexError) as error:
        outcome = "refused"
        # The original's text with its code is always there; ours must say more.
        if len(str(error).strip().splitlines()) < 2 and not isinstance(error, KeyError):
            outcome = "silent"
    print(json.dumps({"done": job["file"], "outcome": outcome, "seconds": time.monotonic() - began, "peak": peak()}), flush=True)
"""


def damage(content: bytes, rng: random.Random) -> bytes:
    """One of the ways in which files go wrong."""
    data = bytearray(content)
    kind = rng.randrange(9)
    place = rng.randrange(len(data))
    if kind == 0:
        data[place] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[place : place + 4] = rng.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, rng.getrandbits(32)]).to_bytes(4, "little")
    elif kind == 2:
        data[place : place + 8] = rng.choice([0, (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << rng.randrange(64)]).to_bytes(8, "little")
    elif kind == 3:
        del data[place:]
    elif kind == 4:
        other = rng.randrange(len(data))
        data[place : place + 4] = data[other : other + 4]
    elif kind == 5:
        for _ in range(rng.randrange(2, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    else:
        for _ in range(rng.randrange(1, 4)):
            change_small_number(data, rng)
    return bytes(data)


def change_small_number(data: bytearray, rng: random.Random) -> None:
    """Indices, sizes, kinds and counts are small numbers: changing one often leaves a well-formed file that says something else."""
    for _ in range(50):
        place = rng.randrange(0, max(len(data) - 4, 1), 4)
        value = int.from_bytes(data[place : place + 4], "little", signed=True)
        if -2 <= value <= 300:
            new = rng.choice([0, 1, -1, 2, value + 1, value - 1, value * 2, rng.randrange(32), 1 << rng.randrange(31)])
            data[place : place + 4] = new.to_bytes(4, "little", signed=True)
            return


def jobs(count: int, seed: int, folder: pathlib.Path):
    """Damaged copies of the checked-in files: the program, or one of its data files."""
    rng = random.Random(seed)
    levels = ["Minimal", "InternalConsistency"]
    programs = [path for path in sorted(DATA.rglob("*.pte")) if path.stat().st_size < 100_000]
    for number in range(count):
        program = rng.choice(programs)
        data = sorted(program.parent.glob("*.ptd"))
        victim = rng.choice([program, *data])
        target = folder / f"{number}{victim.suffix}"
        target.write_bytes(damage(victim.read_bytes(), rng))
        yield {"file": str(target if victim is program else program), "victim": str(target),
               "data": [str(target if path == victim else path) for path in data] or None,
               "plan": rng.random() < 0.7, "verification": rng.choice(levels)}  # fmt: skip


def run_batch(batch: list) -> tuple[list, list]:
    """-> (outcomes, problems). After a crash, the rest of the batch goes on in a new child."""
    outcomes, problems = [], []
    while batch:
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, preexec_fn=limit)  # fmt: skip
        try:
            text, errors = child.communicate("".join(json.dumps(job) + "\n" for job in batch), timeout=SECONDS * 2 + len(batch))
        except subprocess.TimeoutExpired:
            child.kill()
            text, errors = child.communicate()
        done = [json.loads(line) for line in text.splitlines() if '"done"' in line]
        for job, result in zip(batch, done):
            outcomes.append(result["outcome"])
            if result["seconds"] > SECONDS:
                problems.append(f"{job['victim']}: took {result['seconds']:.1f} s")
            if result["peak"] > MEMORY:
                problems.append(f"{job['victim']}: took {result['peak'] >> 20} MB")
            if result["outcome"] == "silent":
                problems.append(f"{job['victim']}: refused without a word")
        if len(done) == len(batch):
            break
        last = errors.strip().splitlines()[-1:] or [""]
        problems.append(f"{batch[len(done)]['victim']}: the process ended with {child.returncode} {last[0]}")
        batch = batch[len(done) + 1 :]
    return outcomes, problems


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the damaged files (default: a temporary one)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        all_jobs = list(jobs(args.count, args.seed, folder))
        outcomes, problems = [], []
        for start in range(0, len(all_jobs), BATCH):
            more, found = run_batch(all_jobs[start : start + BATCH])
            outcomes += more
            problems += found
    counts = {name: outcomes.count(name) for name in sorted(set(outcomes))}
    print(f"{len(outcomes)} files: {', '.join(f'{count} {name}' for name, count in counts.items())}, {len(problems)} problems")
    for problem in problems:
        print("  " + problem)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
