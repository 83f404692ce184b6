"""Methods of one operator each, delegated (tools/export_delegated.py): PyTorch's results, with one thread and two."""

import numpy as np
import pytest

from conftest import ROOT, read_json, to_numpy
from test_programs import recorded

DELEGATED = ROOT / ".cache" / "delegated"
PROGRAMS = sorted(path.parent for path in DELEGATED.glob("*/program.json"))
# Relative to the largest magnitude of an output.
TOLERANCES = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 3e-2}


def as_input(array, kind):
    if kind != "bfloat16":
        return array
    import torch

    return torch.from_numpy(array).bfloat16()


def as_float(value):
    array = to_numpy(value)
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def run_calls(folder):
    """Arrays of every output, call after call."""
    from executorch.runtime import Runtime

    about, calls = read_json(folder / "program.json"), np.load(folder / "calls.npz")
    program, methods, arrays = Runtime.get().load_program(folder / "model.pte"), {}, []
    for number, name in enumerate(about["methods"]):
        if name not in methods:
            methods[name] = program.load_method(name)
        inputs = [as_input(array, about["type"]) for array in recorded(calls, number, "in")]
        arrays.append([np.array(as_float(value)) for value in methods[name].execute(inputs)])
    return arrays


def assert_close(got, want, tolerance, what):
    assert got.shape == want.shape, f"{what}: {got.shape} instead of {want.shape}"
    want = want.astype(np.float64)
    odd = ~np.isfinite(want)
    np.testing.assert_array_equal(got[odd], want[odd], err_msg=what)
    scale = max(np.abs(want[~odd]).max(initial=0), 1e-6)
    np.testing.assert_allclose(got[~odd], want[~odd], rtol=tolerance, atol=tolerance * scale, err_msg=what)


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_results(folder):
    about, calls = read_json(folder / "program.json"), np.load(folder / "calls.npz")
    for number, arrays in enumerate(run_calls(folder)):
        want = recorded(calls, number, "out")
        assert len(arrays) == len(want)
        for index, pair in enumerate(zip(arrays, want)):
            assert_close(*pair, TOLERANCES[about["type"]], f"{about['methods'][number]}, call {number}, output {index}")


@pytest.mark.parametrize("folder", [folder for folder in PROGRAMS if folder.name.endswith("fp32")], ids=lambda folder: folder.name)
def test_same_bits_with_two_threads(folder):
    from executorch.runtime import Runtime

    runtime, results = Runtime.get(), []
    before = runtime.num_threads
    try:
        for threads in (1, 2):
            runtime.num_threads = threads
            results.append([array.tobytes() for arrays in run_calls(folder) for array in arrays])
    finally:
        runtime.num_threads = before
    assert results[0] == results[1]


def test_there_are_programs():
    assert len(PROGRAMS) >= 20, f"{DELEGATED} lacks programs: ./dev test exports them"
