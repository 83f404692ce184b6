"""The wheel in a Python of another architecture: emulated.py PROGRAMS CPU. Models on numpy arrays, owners, kernel variants."""

import json
import pathlib
import sys

import numpy as np

import executorch
from executorch.cli import doctor, elf, ownership
from executorch.extension.pybindings import _portable_lib
from executorch.runtime import Runtime

# The best instruction set of each emulated CPU.
VARIANTS = {"cortex-a53": "baseline", "max": "i8mm"}


def check_programs(folder: pathlib.Path) -> int:
    """Each checked-in program whose call is recorded gives the recorded result."""
    checked = 0
    for name in ("add_mul", "linear", "convnet", "conv1d", "lstm", "half_types", "delegated_scale"):
        path = folder / name
        method = Runtime.get().load_program(path / "model.pte").load_method("forward")
        calls = np.load(path / "calls.npz")
        inputs = [calls[key] for key in sorted(key for key in calls.files if key.startswith("c0_in"))]
        outputs = [calls[key] for key in sorted(key for key in calls.files if key.startswith("c0_out"))]
        for result, expected in zip(method.execute(inputs), outputs, strict=True):
            tolerance = 1e-2 if expected.dtype == np.float16 else 1e-4
            np.testing.assert_allclose(np.asarray(result), expected, rtol=tolerance, atol=tolerance)
            checked += 1
    return checked


def main(programs: str, cpu: str) -> None:
    active = [row["name"] for row in _portable_lib._instruction_sets() if row["active"]]
    assert active == [VARIANTS[cpu]], active
    checked = check_programs(pathlib.Path(programs))
    assert checked >= 6
    assert ownership.check_folder(str(pathlib.Path(executorch.__file__).parent)) == []
    owners = ownership.owners(filter(None, map(elf.read, doctor.loaded_libraries())))
    roles = [role for role, paths in owners.items() if len(paths) == 1]
    assert {"operator registry", "backend registry", "thread pool", "CPU operators", "compute"} <= set(roles), owners
    print(json.dumps({"cpu": cpu, "kernels": active[0], "results": checked}))


if __name__ == "__main__":
    main(*sys.argv[1:])
