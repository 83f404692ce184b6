"""The checked-in programs: every recorded call gives PyTorch's results, planned and unplanned, with one thread and more."""

import pathlib

import numpy as np
import pytest

from conftest import read_json, to_numpy

PROGRAMS = sorted(path.parent for path in (pathlib.Path(__file__).parent.parent / "data" / "programs").glob("*/program.json"))


def recorded(calls, number, side):
    """Arrays of one call, in order; outputs that were None are left out."""
    return [calls[name] for name in calls.files if name.startswith(f"c{number}_{side}")]


def open_program(folder, **options):
    from executorch.runtime import Runtime

    files = [str(folder / name) for name in read_json(folder / "program.json")["data_files"]]
    return Runtime.get().load_program(folder / "model.pte", data_path=files or None, **options)


def check(program, folder):
    calls, info = np.load(folder / "calls.npz"), read_json(folder / "program.json")
    for number, method in enumerate(info["methods"]):
        outputs = program.load_method(method).execute(recorded(calls, number, "in"))
        got = [to_numpy(value) for value in outputs if value is not None]
        want = recorded(calls, number, "out")
        assert len(got) == len(want)
        for index, (g, w) in enumerate(zip(got, want)):
            assert g.shape == w.shape, f"call {number}, output {index}"
            tolerance = info.get("tolerance", 1e-4)
            relative = 2e-2 if "bfloat16" in folder.name else tolerance
            np.testing.assert_allclose(g, w, rtol=relative, atol=tolerance / 10, err_msg=f"call {number}, output {index}")


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("plan", [True, False], ids=["planned", "unplanned"])
def test_program(folder, plan):
    check(open_program(folder, plan=plan), folder)


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_same_bits_for_any_thread_count(folder):
    from executorch.runtime import Runtime

    runtime, results = Runtime.get(), []
    before = runtime.num_threads
    calls = np.load(folder / "calls.npz")
    try:
        for threads in (1, 2, 3):
            runtime.num_threads = threads
            program = open_program(folder)
            outputs = []
            for number, method in enumerate(read_json(folder / "program.json")["methods"]):
                for value in program.load_method(method).execute(recorded(calls, number, "in")):
                    outputs.append(to_numpy(value).tobytes() if value is not None else None)
            results.append(outputs)
    finally:
        runtime.num_threads = before
    assert results[0] == results[1] == results[2]


def test_images_are_planned_whole():
    folder = next(folder for folder in PROGRAMS if folder.name == "decoder")
    report = open_program(folder).load_method("forward")._method._plan_report()
    assert any("conv" in line for line in report)
    assert not [line for line in report if "call aten" in line]


def test_there_are_programs():
    assert len(PROGRAMS) >= 15
