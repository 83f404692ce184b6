"""What the Python tests share."""

import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"


def pytest_addoption(parser):
    parser.addoption("--all-samples", action="store_true", help="operator tests: every sample instead of a seeded choice")
    parser.addoption("--all-models", action="store_true", help="model tests: the large set of tools/model_sets.py as well")
    parser.addoption("--coverage-page", metavar="FILE", help="operator tests: write the table of covered element types there")


@pytest.fixture(scope="session")
def data() -> pathlib.Path:
    """The folder of checked-in programs."""
    return DATA


@pytest.fixture(scope="session")
def package() -> pathlib.Path:
    """The installed package's folder."""
    import executorch

    path = pathlib.Path(executorch.__file__).resolve().parent
    assert ROOT not in path.parents or ".venv" in str(path), f"{path} is the source tree, not an installed wheel"
    return path


@pytest.fixture
def run_python(tmp_path):
    """Runs code in a process of its own: run_python(code, *args, **environment) -> its standard output."""

    def run(code: str, *args: str, expect: int = 0, timeout: float = 120, **environment: str) -> str:
        result = subprocess.run(
            [sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=timeout, cwd=tmp_path,
            env={**os.environ, **environment},
        )  # fmt: skip
        assert result.returncode == expect, f"ended with {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result.stdout

    return run


@pytest.fixture
def cli(tmp_path):
    """cli(*arguments, expect=0) -> its output; where it is to fail, what it said on both channels."""

    def run(*args, expect=0):
        result = subprocess.run([sys.executable, "-m", "executorch.cli", *map(str, args)], capture_output=True, text=True,
                                cwd=tmp_path)  # fmt: skip
        assert result.returncode == expect, result.stdout + result.stderr
        return result.stdout if expect == 0 else result.stdout + result.stderr

    return run


@pytest.fixture(scope="session")
def load():
    """Loads a program and returns its method: load(path, method="forward", **options)."""
    from executorch.runtime import Runtime

    return lambda path, method="forward", **options: Runtime.get().load_program(path, **options).load_method(method)


def to_numpy(value):
    """An output as a numpy array."""
    if hasattr(value, "detach"):
        value = value.detach()
        return value.float().numpy() if str(value.dtype) == "torch.bfloat16" else value.numpy()
    if hasattr(value, "float") and not isinstance(value, (np.ndarray, np.generic, float, int)):
        return value.float()
    return np.asarray(value)


def read_json(path):
    return json.loads(pathlib.Path(path).read_text())
