"""Programs made from seeds (tools/export_generated.py): PyTorch's results, planned and unplanned, with one thread and two."""

import numpy as np
import pytest

from conftest import ROOT, read_json, to_numpy
from test_programs import open_program, recorded

GENERATED = ROOT / ".cache" / "generated"
PROGRAMS = sorted(path.parent for path in GENERATED.glob("*/program.json"))


def results(program, folder):
    """Arrays of every output, call after call."""
    calls, methods, arrays = np.load(folder / "calls.npz"), {}, []
    for number, name in enumerate(read_json(folder / "program.json")["methods"]):
        if name not in methods:
            methods[name] = program.load_method(name)
        outputs = methods[name].execute(recorded(calls, number, "in"))
        arrays.append([np.array(to_numpy(value)) for value in outputs if value is not None])
    return arrays


def assert_close(got, want, tolerance, what):
    assert got.shape == want.shape, f"{what}: {got.shape} instead of {want.shape}"
    if got.dtype.kind in "biu" or not want.size:
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    got, want = got.astype(np.float64), want.astype(np.float64)
    scale = max(float(np.abs(want[np.isfinite(want)]).max(initial=0)), 1e-6)
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance * scale, err_msg=what)


def check(got, folder):
    calls, tolerance = np.load(folder / "calls.npz"), read_json(folder / "program.json").get("tolerance", 1e-4)
    for number, arrays in enumerate(got):
        want = recorded(calls, number, "out")
        assert len(arrays) == len(want)
        for index, pair in enumerate(zip(arrays, want)):
            assert_close(*pair, tolerance, f"call {number}, output {index}")


@pytest.fixture(params=PROGRAMS, ids=lambda folder: folder.name)
def folder(request):
    return request.param


def test_planned_and_unplanned(folder):
    planned, unplanned = (results(open_program(folder, plan=plan), folder) for plan in (True, False))
    check(planned, folder)
    check(unplanned, folder)


def test_same_bits_with_two_threads(folder):
    from executorch.runtime import Runtime

    runtime, got = Runtime.get(), []
    before = runtime.num_threads
    try:
        for threads in (1, 2):
            runtime.num_threads = threads
            got.append([array.tobytes() for arrays in results(open_program(folder), folder) for array in arrays])
    finally:
        runtime.num_threads = before
    assert got[0] == got[1]


def test_there_are_programs():
    assert len(PROGRAMS) >= 60, f"{GENERATED} lacks programs: ./dev test exports them"
