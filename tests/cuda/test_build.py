"""What a build for CUDA refuses."""

import os
import shutil
import subprocess

import pytest

from conftest import ROOT

CMAKE = ROOT / ".venv-build" / "bin" / "cmake"


def configure(folder, **settings) -> str:
    """What CMake says when it fails."""
    if not CMAKE.exists() or not (shutil.which("nvcc") or os.path.exists("/usr/local/cuda-13.0/bin/nvcc")):
        pytest.skip("it takes nvcc 13.0 and the build environment")
    nvcc = shutil.which("nvcc") or "/usr/local/cuda-13.0/bin/nvcc"
    options = [f"-D{name}={value}" for name, value in settings.items()]
    result = subprocess.run(
        [CMAKE, "-S", ROOT, "-B", folder, "-GNinja", "-DEXECUTORCH_BUILD_CUDA=ON", f"-DPython3_EXECUTABLE={CMAKE.parent / 'python'}", *options],
        capture_output=True, text=True, env={**os.environ, "PATH": f"{CMAKE.parent}{os.pathsep}{os.environ['PATH']}", "CUDACXX": nvcc},
    )  # fmt: skip
    assert result.returncode != 0, result.stdout
    return " ".join(result.stderr.split())


@pytest.mark.parametrize("train", ["", "cu118"])
def test_a_train_must_be_named(tmp_path, train):
    assert f"EXECUTORCH_CUDA_TRAIN must name a row of architectures.json, e.g. cu130; it is '{train}'" in configure(
        tmp_path, EXECUTORCH_CUDA_TRAIN=train
    )


def test_the_toolkit_must_be_the_trains(tmp_path):
    assert "cu126 is built with CUDA 12.6, this is 13.0" in configure(tmp_path, EXECUTORCH_CUDA_TRAIN="cu126")


def test_a_prefix_must_fit_into_code_objects(tmp_path):
    text = configure(tmp_path, EXECUTORCH_CUDA_TRAIN="cu130", EXECUTORCH_AOTI_CUDA_SHIM_PREFIX="mine_")
    assert "EXECUTORCH_AOTI_CUDA_SHIM_PREFIX must be 11 characters" in text
