"""A CUDA program from the exporter to the result, in Python and on the command line: the CUDA wheel over the fake CUDA runtime. The
program's generated code is a stand-in (tests/cuda/export_fake.py)."""

import pathlib
import subprocess

import pytest

from conftest import ROOT
from test_cuda_wheel import FAKE, python, site, train, wheel  # noqa: F401

EXPORTER = ROOT / ".venv-original" / "bin" / "python"

RUN = """
import sys, numpy
from executorch.runtime import Runtime
method = Runtime.get().load_program(sys.argv[1] + "/model.pte", data_path=sys.argv[1] + "/aoti_cuda_blob.ptd").load_method("forward")
weight = 2
for rows in (2, 8, 1, 2):
    x = numpy.arange(3.0 * rows, dtype=numpy.float32).reshape(rows, 3)
    numpy.testing.assert_array_equal(method.execute([x])[0], 4 * weight * x)
    weight += 1
print("as expected")
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> pathlib.Path:
    code = FAKE / "models" / "libcuda_model.so"
    if not code.exists() or not EXPORTER.exists():
        pytest.skip("it takes the original's exporter, and the fakes of the C++ tests")
    folder = tmp_path_factory.mktemp("program")
    command = [EXPORTER, ROOT / "tests" / "cuda" / "export_fake.py", code, folder]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return folder


def script(code: str, *arguments) -> str:
    return f"import sys; sys.argv = ['', *{[str(argument) for argument in arguments]!r}]\n{code}"


def test_runs(site, program):
    """Through memory planned on the device and the copies at the delegate's edges, with sizes that change. The code's weight grows by
    one with each run, as a model's state."""
    assert "as expected" in python(site, script(RUN, program), LD_LIBRARY_PATH=str(FAKE))


def test_without_a_device_it_says_why(site, program):
    if pathlib.Path("/dev/nvidiactl").exists():
        pytest.skip("there is one")
    code = script(RUN.replace("method = ", "try: method = ").replace("weight = 2", "except RuntimeError as error: print(error); sys.exit()"), program)
    text = python(site, code)
    assert "driver" in text or "no CUDA device" in text
    assert "CudaBackend" in text or "CUDA" in text


def test_weights_must_come_along(site, program):
    code = RUN.replace(', data_path=sys.argv[1] + "/aoti_cuda_blob.ptd"', "")
    code = code.replace("method = ", "try: method = ").replace("weight = 2", "except RuntimeError as error: print(error); sys.exit()")
    assert "cuda_fqn_weight:cuda:layer.weight" in python(site, script(code, program), LD_LIBRARY_PATH=str(FAKE))


def test_command_line(site, program):
    code = "from executorch.cli.main import main; sys.exit(main(sys.argv[1:]))"
    text = python(site, script(code, "inspect", program / "model.pte"), LD_LIBRARY_PATH=str(FAKE))
    assert "CudaBackend" in text and "_h2d_copy" in text and "not available" not in text
