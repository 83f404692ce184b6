"""The wheel in an empty environment."""

import email
import pathlib
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADD_MUL = ROOT / "tests" / "data" / "programs" / "add_mul" / "model.pte"


@pytest.fixture(scope="module")
def wheel():
    (path,) = (ROOT / "dist").glob("*.whl")
    return path


def test_metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
    assert metadata["Name"] == "executorch" and int(metadata["Version"].split(".")[1]) >= 6
    assert sorted(metadata.get_all("Requires-Dist")) == ["numpy", "rich"]
    assert metadata["License-Expression"] == "BSD-3-Clause"


def test_size(wheel):
    assert wheel.stat().st_size < 5_000_000


def test_nothing_but_the_package(wheel):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            assert name.startswith(("executorch/", "executorch-")), name
            assert not name.endswith((".pyc", ".a", ".o", ".cpp")), name


def test_runs_in_an_empty_environment(wheel, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel], check=True)
    code = """
import sys
import numpy as np
from executorch.runtime import Runtime
ones = [np.ones((2, 2), np.float32)] * 3
print(Runtime.get().load_program(sys.argv[1]).load_method("forward").execute(ones)[0].tolist())
"""
    result = subprocess.run([python, "-c", code, ADD_MUL], capture_output=True, text=True, cwd=tmp_path)
    assert result.stdout == "[[3.0, 3.0], [3.0, 3.0]]\n", result.stderr
    command = tmp_path / "venv" / "bin" / "executorch"
    assert "aten::mm.out" in subprocess.run([command, "inspect", ADD_MUL], capture_output=True, text=True, check=True).stdout
