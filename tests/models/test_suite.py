"""The model suite, exported with the original: results within 1e-4 relative of PyTorch, quantised ones as the original has
them, state kept between calls, the tokens that PyTorch chooses. `--all-models` adds the large set of tools/model_sets.py."""

import pathlib
import sys

import numpy as np
import pytest

from conftest import ROOT, to_numpy

sys.path.append(str(ROOT / "tools"))
import model_sets  # noqa: E402

MODELS = ROOT / ".cache" / "models"
# Rounding may differ by a step here and there, which is at most this part of the largest value. Where numbers are quantised
# as they come, each later layer passes a step on.
AS_THE_ORIGINAL = {"xnnpack_q8": 0.01, "xnnpack_q8dyn": 0.03, "8da4w": 0.03, "8da8w": 0.03}
# Of the scores' largest magnitude. Files hold the factors of half bytes with 8 bits, eager has 24.
SCORE_ERROR = {"portable": 1e-4, "xnnpack": 1e-4, "8da4w": 0.05, "8da8w": 0.02}


def pytest_generate_tests(metafunc):
    """Parametrises `program` by what a test's marker asks for."""
    if "program" not in metafunc.fixturenames:
        return
    wanted = metafunc.definition.get_closest_marker("programs").args[0]
    programs = [p for p in model_sets.programs(metafunc.config.getoption("--all-models")) if wanted(*p)]
    metafunc.parametrize("program", programs, ids=["-".join(p) for p in programs])


def programs(wanted):
    return pytest.mark.programs(wanted)


both_ways = pytest.mark.parametrize("plan", [True, False], ids=["planned", "unplanned"])


def numbered(path: pathlib.Path, prefix: str) -> list:
    arrays = np.load(path)
    return [arrays[f"{prefix}{i}"] for i in range(len(arrays.files))]


def error_of(got, want):
    """The largest error, relative to the largest magnitude."""
    got = to_numpy(got).astype(np.float64)
    assert got.shape == want.shape
    return np.abs(got - want).max() / max(np.abs(want).max(), 1e-6)


def opened(program, load, plan=True):
    """The program's folder and a function that loads it afresh."""
    name, variant = program
    path = MODELS / name / f"{variant}.pte"
    assert path.exists(), f"{path} has not been exported: ./dev test does that for the small set, ./dev test-models for all"
    return path.parent, lambda: load(path, plan=plan)


def calls_of(folder):
    """The example inputs and those of other sizes, and what the names of files with their results start with."""
    yield "", numbered(folder / "inputs.npz", "in")
    for path in sorted(folder.glob("extra?.npz")):
        yield path.stem + "_", numbered(path, "in")


@programs(lambda name, variant: variant in model_sets.FLOAT)
@both_ways
def test_against_pytorch(program, plan, load):
    folder, fresh = opened(program, load, plan)
    for prefix, inputs in calls_of(folder):
        wants = numbered(folder / f"{prefix}expected.npz", "out")
        outputs = fresh().execute(inputs)
        assert len(outputs) == len(wants)
        for got, want in zip(outputs, wants):
            assert error_of(got, want) <= 1e-4, prefix


@programs(lambda name, variant: variant in AS_THE_ORIGINAL)
@both_ways
def test_quantized_as_the_original(program, plan, load):
    """As close to the original's results as those are to PyTorch's: nets without training amplify a step, and where PyTorch's sums
    of bytes are rounded in floating point, as here, the original's are in fixed point."""
    folder, fresh = opened(program, load, plan)
    variant, group = program[1], model_sets.GROUPS[program[1]]
    for prefix, inputs in calls_of(folder):
        outputs = fresh().execute(inputs)
        wants = numbered(folder / f"{prefix}original_{variant}.npz", "out")
        eager = numbered(folder / f"{prefix}expected{group}.npz", "out")
        assert len(outputs) == len(wants) == len(eager)
        for got, want, exact in zip(outputs, wants, eager):
            error, own, others = error_of(got, want), error_of(got, exact), error_of(want, exact)
            told = f"{error:.3g}; from PyTorch {own:.3g}, original {others:.3g}"
            assert error <= max(AS_THE_ORIGINAL[variant], others), told
            assert own <= 1.25 * others + AS_THE_ORIGINAL[variant], told


@programs(lambda name, variant: name in model_sets.STATEFUL)
@both_ways
def test_tokens_of_pytorch(program, plan, load):
    """State is kept from call to call. The likeliest token is PyTorch's wherever the error cannot make another one likelier."""
    folder, fresh = opened(program, load, plan)
    method, steps, tolerance = fresh(), np.load(folder / f"seq{model_sets.GROUPS.get(program[1], '')}.npz"), SCORE_ERROR[program[1]]
    count, decided = sum(name.endswith("_in0") for name in steps.files), 0
    for step in range(count):
        (scores,) = method.execute([steps[f"s{step}_in0"], steps[f"s{step}_in1"]])
        want = steps[f"s{step}_out0"]
        assert error_of(scores, want) <= tolerance, f"step {step}"
        second, first = np.sort(want.ravel())[-2:]
        if first - second > tolerance * np.abs(want).max():
            assert to_numpy(scores).argmax() == want.argmax(), f"step {step}"
            decided += 1
    # Among many words of a net without training the first two often lie closer than half bytes can tell.
    assert decided >= (count // 2 if program[1] in model_sets.FLOAT else 1)
