"""The CUDA wheel, as `./dev wheel-cuda` leaves it: what is in it, how its libraries find each other, and that all else works where
there is no GPU. Its device code runs on no machine of these tests."""

import email
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from building import ADD_MUL, build, dynamic, run
from conftest import ROOT
from executorch.cli import elf, ownership
from executorch.cli.device_code import coverage

TABLE = ROOT / "src" / "backends" / "cuda" / "shims" / "cuda_table.h"
NAMES = {f"aoti_torch_{name}" for name in re.findall(r"^  X\((?:Status, )?(\w+)", TABLE.read_text(), re.MULTILINE)}
FAKE = ROOT / "build" / "release" / "fake_cuda"


@pytest.fixture(scope="module", params=list(coverage.trains()))
def train(request) -> str:
    if not list((ROOT / "dist" / request.param).glob("*.whl")):
        pytest.skip(f"there is no wheel for {request.param}: ./dev wheel-cuda {request.param}")
    return request.param


@pytest.fixture(scope="module")
def wheel(train) -> pathlib.Path:
    (path,) = (ROOT / "dist" / train).glob("*.whl")
    return path


@pytest.fixture(scope="module")
def site(wheel, train, tmp_path_factory) -> pathlib.Path:
    """A site-packages folder with the wheel and the CUDA runtime that it depends on."""
    runtimes = sorted((ROOT / ".cache" / "cuda_wheels").glob("nvidia_cuda_runtime*.whl"))
    folder = tmp_path_factory.mktemp("site")
    for path in (wheel, *runtimes):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    if not (folder / coverage.trains()[train]["runtime_folder"]).is_dir():
        pytest.skip(f"the CUDA runtime of {train} is not in .cache/cuda_wheels: ./dev test-cuda downloads it")
    return folder


def shipped(site) -> dict[str, pathlib.Path]:
    return {path.name: path for path in (site / "executorch").rglob("*") if path.is_file() and "cuda" in path.name}


def test_metadata(wheel, train):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
        assert not [name for name in archive.namelist() if "cudart" in name], "the CUDA runtime is not bundled"
    assert metadata["Version"] == f"{(ROOT / 'version.txt').read_text().strip()}+{train}"
    wanted = [text for text in metadata.get_all("Requires-Dist") if text.startswith("nvidia")]
    (text,) = wanted
    name, specifier = re.match(r"([\w-]+)(.*);", text.replace(" ", "").replace("(", "").replace(")", "")).groups()
    assert name + ",".join(sorted(specifier.split(","), reverse=True)) == coverage.trains()[train]["runtime"] and "linux" in text


def test_parts(site):
    package = site / "executorch"
    for part in ("lib/libexecutorch_backend_cuda.so", "lib/libexecutorch_extension_cuda.so", "lib/libexecutorch_backend_cuda_static.a",
                 "backends/cuda/libaoti_cuda_shims.so", "include/executorch/extension/cuda/caller_stream.h"):  # fmt: skip
        assert (package / part).is_file(), part


def test_no_path_of_the_build_machine(site):
    strange = [str(ROOT).encode(), str(pathlib.Path.home()).encode() + b"/", b"/usr/local/cuda"]
    for path in shipped(site).values():
        content = path.read_bytes()
        assert not [name for name in strange if name in content], path.name


def test_device_code_covers_the_row(site, train):
    assert coverage.check_folder(site / "executorch", train, platform.machine()) == []
    assert [pathlib.Path(code.path).name for code in coverage.libraries(site / "executorch")] == ["libaoti_cuda_shims.so"]


def test_exports_are_the_table(site):
    assert len(NAMES) == 51
    assert elf.read(shipped(site)["libaoti_cuda_shims.so"]).defined == NAMES


def test_everything_has_one_owner(site, tmp_path):
    libraries = ownership.libraries_in(site / "executorch")
    owners = {}
    for library in libraries:
        for symbol in library.defined:
            owners.setdefault(symbol, []).append(library.path)
    assert {symbol: paths for symbol, paths in owners.items() if len(paths) > 1} == {}
    roles = ownership.owners(libraries)
    assert [pathlib.Path(path).name for role in ownership.OWNED_BY_ACCELERATORS for path in roles[role]] == [
        "libaoti_cuda_shims.so", "libexecutorch_extension_cuda.so"]  # fmt: skip
    bundle = shutil.copytree(site / "executorch", tmp_path / "bundle")
    shutil.copy(bundle / "backends" / "cuda" / "libaoti_cuda_shims.so", bundle / "lib" / "libaoti_cuda_shims.so")
    assert any("CUDA shims has 2 owners" in problem for problem in ownership.check_folder(bundle))


def test_import_library_has_the_table(site):
    tool = shutil.which("x86_64-w64-mingw32-nm")
    if tool is None:
        pytest.skip("binutils-mingw-w64-x86-64 is not installed")
    symbols = run(tool, site / "executorch" / "data" / "lib" / "aoti_cuda_shims.lib")
    assert set(re.findall(r" T (\w+)$", symbols, re.MULTILINE)) == NAMES
    assert set(re.findall(r" I __imp_(\w+)$", symbols, re.MULTILINE)) == NAMES


def test_code_for_windows_links_with_all_of_the_table(site, tmp_path):
    compiler, dump = (shutil.which(f"x86_64-w64-mingw32-{name}") for name in ("gcc", "objdump"))
    if compiler is None:
        pytest.skip("gcc-mingw-w64-x86-64 is not installed")
    declarations = "\n".join(f"__declspec(dllimport) int {name}(void);" for name in sorted(NAMES))
    calls = " + ".join(f"{name}()" for name in sorted(NAMES))
    (tmp_path / "model.c").write_text(f"{declarations}\n__declspec(dllexport) int run(void) {{ return {calls}; }}\n")
    run(compiler, "-shared", tmp_path / "model.c", site / "executorch" / "data" / "lib" / "aoti_cuda_shims.lib", "-o", tmp_path / "model.dll")
    imports = run(dump, "-p", tmp_path / "model.dll").partition("DLL Name: aoti_cuda_shims.dll")[2].partition("DLL Name:")[0]
    assert {name for name in re.findall(r"\b(aoti_torch_\w+)$", imports, re.MULTILINE)} == NAMES


def test_run_paths(site, train):
    """Each library finds all that it needs from where it lies, the CUDA runtime in the package that is depended on."""
    runtime = site / coverage.trains()[train]["runtime_folder"]
    for name, library in shipped(site).items():
        if not name.endswith(".so"):
            continue
        (path,) = dynamic(library, "RUNPATH")
        folders = [(library.parent / part.replace("$ORIGIN", ".")).resolve() for part in path.split(":")]
        assert all(part.startswith("$ORIGIN") for part in path.split(":")) and runtime.resolve() in folders
        for needed in dynamic(library, "NEEDED"):
            if needed.startswith(("libexecutorch", "libaoti", "libcudart")):
                assert any((folder / needed).is_file() for folder in folders), f"{name} does not find {needed}"
    major = coverage.trains()[train]["toolkit"].split(".")[0]
    assert f"libcudart.so.{major}" in dynamic(shipped(site)["libaoti_cuda_shims.so"], "NEEDED")


def python(site, code, **environment) -> str:
    """Runs code with the unpacked wheel, and numpy and rich of the tests' environment."""
    import numpy
    import rich

    paths = [str(site), *sorted({str(pathlib.Path(module.__file__).parent.parent) for module in (numpy, rich)})]
    env = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            env={**env, "PYTHONPATH": os.pathsep.join(paths), **environment})  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


BACKENDS = """
import executorch, numpy
from executorch.runtime import Runtime
from executorch.extension.pybindings import portable_lib
print(executorch.__file__)
print(sorted(Runtime.get().backend_registry.registered_backend_names), portable_lib._is_available("CudaBackend"))
x = numpy.array([[1, 2], [3, 4]], numpy.float32)
print(Runtime.get().load_program(PROGRAM).load_method("forward").execute([x, x, x])[0].ravel().tolist())
"""


def test_the_rest_works_without_a_gpu(site):
    text = python(site, BACKENDS.replace("PROGRAM", repr(str(ADD_MUL))))
    assert str(site) in text and "'CudaBackend'" in text and "'XnnpackBackend'" in text
    assert "[8.0, 12.0, 18.0, 26.0]" in text
    if not pathlib.Path("/dev/nvidiactl").exists():
        assert "] False" in text


def test_the_rest_works_without_the_cuda_runtime(site, tmp_path):
    """A user who installed with --no-deps. The machine may have one of its own, so a name is asked for that none has."""
    shutil.copytree(site / "executorch", tmp_path / "executorch", symlinks=True)
    shutil.copytree(next(site.glob("executorch-*.dist-info")), tmp_path / next(site.glob("executorch-*.dist-info")).name)
    for library in shipped(tmp_path).values():
        library.write_bytes(library.read_bytes().replace(b"libcudart.so.1", b"libcudart.so.x"))
    code = BACKENDS.replace('portable_lib._is_available("CudaBackend")', "None").replace("PROGRAM", repr(str(ADD_MUL)))
    text = python(tmp_path, code)
    assert "libexecutorch_backend_cuda.so was not loaded" in text and "libcudart" in text
    assert "'XnnpackBackend'" in text and "'CudaBackend'" not in text and "[8.0, 12.0, 18.0, 26.0]" in text


def test_doctor(site):
    text = python(site, "import sys; from executorch.cli.main import main; sys.exit(main(['doctor']))")
    assert "no problems found" in text and "CudaBackend" in text


@pytest.fixture(scope="module")
def static_app(site, tmp_path_factory) -> pathlib.Path:
    include = next((path for path in (pathlib.Path("/usr/local/cuda-13.0/include"), *site.rglob("cuda_runtime_api.h")) if path.exists()), None)
    include = include.parent if include and include.is_file() else include
    folder = tmp_path_factory.mktemp("app")
    build(site / "executorch", ROOT / "tests" / "cuda" / "static_app", folder, f"-DCUDA_INCLUDE={include}")
    return folder / "static_app"


def test_static_use(static_app):
    needed = dynamic(static_app, "NEEDED")
    assert "libaoti_cuda_shims.so" in needed and "libexecutorch_extension_cuda.so" in needed
    assert "libexecutorch_backend_cuda.so" not in needed
    expected = "available\n" if pathlib.Path("/dev/nvidiactl").exists() else "not available\n"
    assert run(static_app) == expected


def test_static_use_runs_generated_code(static_app):
    """On the fake CUDA runtime, with the shims of the shared library."""
    if not FAKE.is_dir():
        pytest.skip(f"{FAKE} was not built: the C++ tests build it where CUDA's headers are")
    code = FAKE / "models" / "libcuda_model_of_blob.so"
    assert run(static_app, code, LD_LIBRARY_PATH=str(FAKE)) == "available\n4.5 6\n"


def test_script_for_a_gpu_says_that_there_is_none(site):
    if pathlib.Path("/dev/nvidiactl").exists():
        pytest.skip("there is one")
    code = f"import runpy, sys; sys.argv = ['gpu.py']; runpy.run_path({str(ROOT / 'tests' / 'cuda' / 'gpu.py')!r}, run_name='__main__')"
    assert python(site, code) == "skipped: there is no NVIDIA GPU, or no driver for it\n"


def test_a_train_that_is_not_known_is_refused(tmp_path):
    """By the metadata, before anything is compiled."""
    code = "import sys; sys.path.insert(0, 'cmake'); import wheel_metadata; wheel_metadata.dynamic_metadata({}, {})"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True,
                            env={**os.environ, "EXECUTORCH_CUDA_TRAIN": "cu118"})  # fmt: skip
    assert result.returncode != 0 and "there are cu126, cu130, cu132" in result.stderr
