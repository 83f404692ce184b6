"""The reader of fat binaries on NVIDIA's own libraries, beside NVIDIA's own tool. `./dev test-cuda` downloads both."""

import pathlib
import re
import subprocess
import sys

import pytest

from conftest import ROOT
from executorch.cli.device_code import coverage, fatbin

WHEELS = ROOT / ".cache" / "cuda_wheels"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory) -> pathlib.Path:
    wheels = sorted(WHEELS.glob("*.whl"))
    if not any("cuobjdump" in wheel.name for wheel in wheels):
        pytest.skip(f"NVIDIA's libraries are not in {WHEELS}: ./dev test-cuda downloads them")
    folder = tmp_path_factory.mktemp("wheels")
    for wheel in wheels:
        subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, folder / wheel.name.split("-")[0]], check=True)
    return folder


def test_the_tool_of_nvidia_sees_the_same(unpacked):
    (tool,) = unpacked.rglob("bin/cuobjdump")
    tool.chmod(0o755)
    found = coverage.libraries(unpacked)
    assert {pathlib.Path(code.path).name for code in found} == {"libnvjpeg.so.12", "libnvjpeg.so.13"}
    for code in found:
        listed = {
            flag: {int(number) for number in re.findall(r"\.sm_(\d+)\.", subprocess.check_output([tool, flag, code.path], text=True))}
            for flag in ("--list-elf", "--list-ptx")
        }
        assert listed == {"--list-elf": code.machine_code, "--list-ptx": code.ptx} and not code.other
        assert len(code.machine_code) >= 10


@pytest.mark.parametrize("train", coverage.trains())
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_a_library_of_other_rows_is_refused(unpacked, train, machine):
    """They are built for more architectures than a row of ours, and for all of them but a few."""
    row = set(coverage.row(train, machine))
    for code in coverage.libraries(unpacked):
        text = "\n".join(coverage.check(code, row))
        for number in row ^ code.machine_code:
            assert f"sm_{number}" in text
        assert "which the row does not list" in text and f"must have PTX for sm_{max(row)} alone, it has sm_121" in text


def test_a_library_without_device_code(unpacked):
    (library,) = unpacked.rglob("libcudart.so.13")
    assert not fatbin.read(library)
