"""Small programs that stand for kinds of mistakes: each call must end as its case says, in a process of its own."""

import json
import pathlib

import pytest

CASES = pathlib.Path(__file__).resolve().parent.parent / "data" / "cases"

# Run one case; the last line of the output is its result as JSON.
RUNNER = r"""
import importlib, json, sys
import numpy as np
folder = sys.argv[1]
case = json.load(open(folder + "/case.json"))
for name in case["imports"]:
    importlib.import_module(name)
from executorch.runtime import Runtime
inputs = np.load(folder + "/inputs.npz")
expected = np.load(folder + "/expected.npz")

def tensor(call, index, spec):
    array = inputs[f"call{call}_in{index}"]
    order = spec["dim_order"]
    # the bytes in memory follow the logical dim order
    return array.transpose(order).copy().transpose(np.argsort(order))

results, method, problem = [], None, None
try:
    data = folder + "/" + case["data_file"] if case["data_file"] else None
    method = Runtime.get().load_program(folder + "/model.pte", data_path=data).load_method("forward")
except RuntimeError as error:
    problem = str(error)
for number, call in enumerate(case["calls"]):
    if problem is not None:
        results.append({"error": problem})
        continue
    try:
        args = [tensor(number, i, spec) if spec["kind"] == "tensor" else inputs[f"call{number}_in{i}"].item()
                for i, spec in enumerate(call["inputs"])]
        outputs = [np.asarray(value) for value in method.execute(args)]
    except RuntimeError as error:
        results.append({"error": str(error)})
        continue
    wrong = []
    for i, got in enumerate(outputs):
        key = f"call{number}_out{i}"
        if key not in expected.files:
            continue
        want = expected[key]
        if got.shape != want.shape or got.dtype != want.dtype:
            wrong.append(f"output {i}: {got.dtype}{got.shape} instead of {want.dtype}{want.shape}")
        elif case["check_values"] and not np.allclose(got, want, rtol=case["rtol"], atol=case["atol"], equal_nan=True):
            wrong.append(f"output {i}: {got.ravel()[:8]} instead of {want.ravel()[:8]}")
    results.append({"wrong": wrong})
print(json.dumps(results))
"""


def _cases():
    for folder in sorted(CASES.iterdir()):
        case = folder / "case.json"
        if case.exists():
            content = json.loads(case.read_text())
            yield pytest.param(folder, content, id=content["name"])


@pytest.mark.parametrize("folder, case", list(_cases()))
@pytest.mark.parametrize("plan", ["on", "off"])
def test_case(folder, case, plan, run_python):
    from executorch.extension.pybindings import portable_lib

    if case["delegate"] and not portable_lib._is_available("XnnpackBackend"):
        pytest.skip("needs the XNNPACK delegate, which this build does not have")
    results = json.loads(run_python(RUNNER, str(folder), EXECUTORCH_PLAN=plan).splitlines()[-1])
    for number, (call, result) in enumerate(zip(case["calls"], results)):
        place = f"call {number} of {case['name']}"
        if call["expect"] == "value":
            assert "error" not in result, f"{place} was refused: {result['error']}"
            assert not result["wrong"], f"{place}: {result['wrong']}"
        elif call["expect"] == "error":
            assert "error" in result, f"{place} should have been refused"
            assert len(result["error"].splitlines()[0]) > 15, f"{place}: no sentence in {result['error']!r}"
        else:
            assert result.get("error") or not result["wrong"], f"{place}: {result['wrong']}"
