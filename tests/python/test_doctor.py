"""What the doctor finds: on a healthy package nothing, on a damaged one each fault by name."""

import json
import shutil

import pytest

from executorch.cli import elf, ownership

KERNELS = "libexecutorch_optimized_native_cpu_ops_lib.so.1"


@pytest.fixture
def bundle(package, tmp_path):
    """The libraries of an application, to be damaged."""
    return shutil.copytree(package / "lib", tmp_path / "app" / "lib", ignore=shutil.ignore_patterns("cmake", "pkgconfig"))


def test_healthy_package(cli, package):
    result = json.loads(cli("doctor", "--json"))
    assert result["problems"] == []
    process = result["process"]
    assert all(len(paths) == 1 for paths in process["owners"].values()), process["owners"]
    assert {str(package / "lib" / KERNELS)} == set(process["owners"]["CPU operators"]) and process["threads"] >= 1
    assert [row["name"] for row in process["instruction_sets"] if row["active"]]
    assert process["backends"]["XnnpackBackend"] is True and sum(process["operators"].values()) > 400
    text = cli("doctor")
    assert "no problems" in text and "in use" in text and KERNELS in text


def test_forced_instruction_set_is_shown(cli, monkeypatch):
    monkeypatch.setenv("EXECUTORCH_CPU", "baseline")
    assert "baseline in use" in cli("doctor")


def test_program_that_runs(cli, data):
    assert "no problems" in cli("doctor", data / "programs" / "delegated_scale" / "model.pte")


def test_program_with_a_missing_operator(cli, data, tmp_path):
    program = (data / "programs" / "add_mul" / "model.pte").read_bytes()
    (tmp_path / "strange.pte").write_bytes(program.replace(b"aten::mm", b"aten::zz"))
    text = cli("doctor", tmp_path / "strange.pte", expect=1)
    assert "the operator aten::zz.out is missing" in text


def test_healthy_bundle(bundle):
    assert ownership.check_folder(bundle.parent) == []


def test_second_copy_is_a_problem(bundle):
    (bundle.parent / "plugins").mkdir()
    shutil.copy(bundle / KERNELS, bundle.parent / "plugins" / KERNELS)
    (problem, *rest) = ownership.check_folder(bundle.parent)
    assert "CPU operators has 2 owners" in problem and f"plugins/{KERNELS}" in problem
    assert any("plugins" in text and "does not find it" in text for text in rest)


def test_missing_dependency_is_a_problem(bundle):
    (bundle / "libexecutorch_compute.so").unlink()
    problems = ownership.check_folder(bundle.parent)
    assert problems and all("needs libexecutorch_compute.so and does not find it" in text for text in problems)


def test_renamed_library_is_a_problem(bundle):
    (bundle / "libexecutorch_etdump.so").rename(bundle / "libexecutorch_profiler.so")
    assert any("calls itself libexecutorch_etdump.so" in text for text in ownership.check_folder(bundle.parent))


def test_absolute_run_path_is_a_problem(bundle):
    path = bundle / "libexecutorch_etdump.so"
    content = path.read_bytes()
    assert content.count(b"\0$ORIGIN\0") == 1
    path.write_bytes(content.replace(b"\0$ORIGIN\0", b"\0/usr/lo\0"))
    assert any("/usr/lo" in text and "not relative" in text for text in ownership.check_folder(bundle.parent))


def test_folder_without_us(cli, tmp_path):
    assert "holds no library of ExecuTorch" in cli("doctor", "--folder", tmp_path, expect=1)


def test_damaged_library_is_an_error(bundle):
    path = bundle / "libexecutorch_etdump.so"
    content = path.read_bytes()
    for end in (5, 40, len(content) // 2):
        path.write_bytes(content[:end])
        with pytest.raises(ValueError, match="is damaged"):
            elf.read(path)
    path.write_bytes(b"text")
    assert elf.read(path) is None
