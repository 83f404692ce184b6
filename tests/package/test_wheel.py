"""The wheel in an empty environment."""

import email
import json
import platform
import re
import subprocess
import sys
import zipfile

import pytest

from building import ADD_MUL, run
from conftest import ROOT


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


def test_tag_is_as_old_as_the_symbols_allow(wheel, package):
    """auditwheel has named it: the architecture, and the C library that the newest imported symbol came with."""
    python, abi, system = wheel.stem.split("-")[2:]
    assert (python, abi) in {(f"cp3{sys.version_info[1]}",) * 2, ("cp312", "abi3")}
    libraries = [path for path in package.rglob("*.so*")]
    needed = {int(minor) for path in libraries for minor in re.findall(r"GLIBC_2\.(\d+)", run("nm", "-D", path))}
    assert f"manylinux_2_{max(needed)}_{platform.machine()}" in system.split(".")


def test_bill_of_materials(wheel):
    """What is compiled in, each with its version and the text of its licence."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/sboms/executorch.cdx.json")]
        bill = json.loads(archive.read(name))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert bill["metadata"]["component"]["version"] == wheel.name.split("-")[1]
    assert [part["name"] for part in bill["components"]] == ["flatbuffers", "nanobind", "robin-map"]
    for part in bill["components"]:
        (licence,) = [entry["license"] for entry in part["licenses"]]
        assert licence["id"] in {"Apache-2.0", "BSD-3-Clause", "MIT"} and len(licence["text"]["content"]) > 900
        assert re.fullmatch(r"\d+\.\d+\.\d+", part["version"]) and part["version"] in part["purl"]
    references = {bill["metadata"]["component"]["bom-ref"], *(part["bom-ref"] for part in bill["components"])}
    assert {entry["ref"] for entry in bill["dependencies"]} == references


def test_nothing_tells_when_or_where_it_was_built(wheel):
    with zipfile.ZipFile(wheel) as archive:
        assert len({entry.date_time for entry in archive.infolist()}) == 1
        assert {entry.external_attr >> 16 & 0o777 for entry in archive.infolist() if not entry.is_dir()} <= {0o644, 0o755}


def test_nothing_of_other_devices(wheel):
    """The libraries of accelerators come in wheels of their own."""
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if "cuda" in name.rpartition("/")[2] and not name.endswith(".h")]


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
