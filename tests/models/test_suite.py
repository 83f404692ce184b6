"""The model suite, exported with the original: results within 1e-4 relative of PyTorch, quantized ones as the original has
them, state kept between calls."""

import pathlib

import numpy as np
import pytest

from conftest import ROOT, to_numpy

MODELS = ROOT / ".cache" / "models"
NAMES = ["add_mul", "mlp", "mlp_dyn", "conv1d", "lstm", "mobilenet_v2", "resnet18", "vit_small", "minilm",
         "whisper_tiny_encoder", "llama15m_decode", "llama15m_prefill"]  # fmt: skip

QUANTIZED = [("mlp", "xnnpack_q8"), ("mobilenet_v2", "xnnpack_q8"), ("resnet18", "xnnpack_q8"), ("mlp", "8da4w"),
             ("llama15m_decode", "8da4w")]  # fmt: skip


def numbered(path: pathlib.Path, prefix: str) -> list:
    arrays = np.load(path)
    return [arrays[f"{prefix}{i}"] for i in range(len(arrays.files))]


def assert_close(got, want, what, tolerance=1e-4):
    got, want = to_numpy(got), np.asarray(want)
    assert got.shape == want.shape, what
    scale = max(float(np.max(np.abs(want))), 1e-6)
    error = float(np.max(np.abs(got.astype(np.float64) - want.astype(np.float64))))
    assert error <= tolerance * scale, f"{what}: error {error:.3g} at a scale of {scale:.3g}"


@pytest.fixture(params=NAMES)
def model(request):
    folder = MODELS / request.param
    if not (folder / "portable.pte").exists():
        pytest.fail(f"{folder} has not been exported: ./dev test does that")
    return folder


@pytest.mark.parametrize("plan", [True, False], ids=["planned", "unplanned"])
def test_against_pytorch(model, plan, load):
    method = load(model / "portable.pte", plan=plan)
    (output,) = method.execute(numbered(model / "inputs.npz", "in"))
    assert_close(output, numbered(model / "expected.npz", "out")[0], model.name)
    for extra in sorted(model.glob("extra?.npz")):
        (output,) = method.execute(numbered(extra, "in"))
        assert_close(output, numbered(extra.with_name(extra.stem + "_expected.npz"), "out")[0], extra.name)


@pytest.mark.parametrize("plan", [True, False], ids=["planned", "by itself"])
def test_delegated_against_pytorch(model, plan, load):
    method = load(model / "xnnpack.pte", plan=plan)
    (output,) = method.execute(numbered(model / "inputs.npz", "in"))
    assert_close(output, numbered(model / "expected.npz", "out")[0], model.name)


@pytest.mark.parametrize("name, variant", QUANTIZED)
def test_quantized_as_the_original(name, variant, load):
    """Rounding may differ by a step here and there, which is at most a hundredth of the largest value."""
    folder = MODELS / name
    method = load(folder / f"{variant}.pte", plan=True)
    (output,) = method.execute(numbered(folder / "inputs.npz", "in"))
    (want,) = numbered(folder / f"original_{variant}.npz", "out")
    assert_close(output, want, f"{name} {variant}", tolerance=0.01)


@pytest.mark.parametrize("file", ["portable.pte", "xnnpack.pte"])
def test_state_is_kept_between_calls(load, file):
    folder = MODELS / "llama15m_decode"
    method, steps = load(folder / file), np.load(folder / "seq.npz")
    for step in range(6):
        (output,) = method.execute([steps[f"s{step}_in0"], steps[f"s{step}_in1"]])
        assert_close(output, steps[f"s{step}_out0"], f"step {step}")
