"""What an AOTInductor program may not do, and what is said about it."""

import concurrent.futures
import gc
import os

import aoti_models
import numpy as np
import pytest
import torch

from executorch.backends import aoti


@pytest.fixture(scope="module")
def program():
    return aoti_models.compiled("mlp")


def refused(load, path, options, *words):
    with pytest.raises(RuntimeError) as caught:
        load(path, backend_options=options)
    for word in words:
        assert word in str(caught.value)


def test_native_code_is_off_by_default(load, program):
    for options in (None, {}, {aoti.BACKEND: {}}, {aoti.BACKEND: {"allow_native_code": False}}):
        refused(load, program.path, options, "machine code", program.digest, "allow_native_code")


def test_other_code_than_the_pinned_one(load, program):
    refused(load, program.path, aoti.trust("0" * 64), program.digest, "0" * 64)
    load(program.path, backend_options=aoti.trust(["0" * 64, program.digest]))
    for wrong in ("0" * 63, "x" * 64, ["0" * 64] * 4, []):
        with pytest.raises(ValueError):
            aoti.trust(wrong)


def test_options_of_other_types(load, program):
    refused(load, program.path, {aoti.BACKEND: {"allow_native_code": 1}}, "allow_native_code", "bool")
    for wrong in ([], {aoti.BACKEND: 1}, {aoti.BACKEND: {"allow_native_code": 1.5}}):
        with pytest.raises((TypeError, AttributeError)):
            load(program.path, backend_options=wrong)
    with pytest.raises(ValueError):
        load(program.path, backend_options={aoti.BACKEND: {"x" * 64: True}})


def test_changed_code(load, program, tmp_path):
    """A changed byte anywhere in the code is found before it is loaded."""
    data = bytearray(program.path.read_bytes())
    place = data.find(b"AOTInductorModelContainerRun\0")
    assert place > 0
    data[place] ^= 1
    path = tmp_path / "changed.pte"
    path.write_bytes(data)
    refused(load, path, aoti.trust(), "SHA-256", program.digest)


def test_damaged_files_end_no_process(load, program, tmp_path):
    """The head of the file, where the tables and the payload are, is damaged at random."""
    data = program.path.read_bytes()
    head = data.find(b"\x7fELF")
    head = min(place for place in (head, data.find(b"ETAOTICPU1") + 2000) if place > 0)
    random = np.random.default_rng(1)
    path = tmp_path / "damaged.pte"
    for _ in range(300):
        damaged = bytearray(data)
        for place in random.integers(0, head, 3):
            damaged[place] = random.integers(0, 256)
        path.write_bytes(damaged)
        try:
            load(path, backend_options=aoti.trust())
        except (RuntimeError, KeyError):
            continue


def test_inputs_that_the_code_does_not_expect(load, program):
    method = load(program.path, backend_options=aoti.trust())
    for wrong, word in [
        ((torch.ones(1, 64), torch.ones(1, 1)), "2 to 64"),
        ((torch.ones(5, 64), torch.ones(4, 1)), "does not go with"),
    ]:
        with pytest.raises(RuntimeError, match=word):
            method.execute(wrong)
    with pytest.raises(RuntimeError):
        method.execute((torch.ones(5, 63), torch.ones(5, 1)))
    with pytest.raises(RuntimeError):
        method.execute((torch.ones(5, 64).double(), torch.ones(5, 1)))
    turned = torch.ones(64, 5).t()
    expected = program.module(turned, torch.ones(5, 1))[0]
    torch.testing.assert_close(method.execute((turned, torch.ones(5, 1)))[0], expected, rtol=1e-4, atol=1e-5)


def _open_files():
    return sorted(os.readlink(f"/proc/self/fd/{name}") for name in os.listdir("/proc/self/fd") if os.path.islink(f"/proc/self/fd/{name}"))


def _mapped_codes():
    """How many code objects are mapped: each is a file of its own."""
    with open("/proc/self/maps") as maps:
        return len({tuple(line.split()[3:5]) for line in maps if "executorch-" in line})


@pytest.mark.parametrize("in_file", [False, True])
def test_nothing_is_left_behind(load, program, tmp_path, monkeypatch, in_file):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    options = aoti.trust()
    options[aoti.BACKEND]["code_in_file"] = in_file

    def use():
        load(program.path, backend_options=options).execute(aoti_models.CASES["mlp"].inputs)
        gc.collect()
        refused(load, program.path, aoti.trust("0" * 64))

    def in_a_thread():
        # Generated code has objects of each thread that it ran on: it stays mapped until that ends.
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(use).result()

    in_a_thread()
    files, codes = _open_files(), _mapped_codes()
    for _ in range(6):
        in_a_thread()
    assert _open_files() == files
    # The last one may go with the next that is closed.
    assert _mapped_codes() <= codes + 1
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_is_not_needed(load, program, monkeypatch):
    monkeypatch.setenv("TMPDIR", "/nonexistent")
    load(program.path, backend_options=aoti.trust())
    options = aoti.trust()
    options[aoti.BACKEND]["code_in_file"] = True
    refused(load, program.path, options, "/nonexistent")


def test_what_cannot_be_compiled_is_named(tmp_path):
    """A function that the runtime lacks, before a file is written."""

    class Sort(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.cholesky(x)

    exported = torch.export.export(Sort(), (torch.eye(3),))
    with pytest.raises(Exception, match="cholesky|proxy_executor"):
        aoti.compile(exported, tmp_path / "sort.pte")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="x86-64-v3"):
        aoti.compile(exported, tmp_path / "sort.pte", instruction_set="pentium")


def test_command_line(cli, program, tmp_path):
    names = []
    for index, tensor in enumerate(aoti_models.CASES["mlp"].inputs):
        names.append(tmp_path / f"{index}.npy")
        np.save(names[-1], tensor.numpy())
    run = ["run", program.path, *(word for name in names for word in ("--input", name))]
    assert "--allow-native-code" in cli(*run, expect=1)
    assert "float32[8, 10]" in cli(*run, "--allow-native-code")
    assert "float32[8, 10]" in cli(*run, "--allow-native-code", program.digest)
    assert program.digest in cli(*run, "--allow-native-code", "0" * 64, expect=1)
    assert aoti.BACKEND in cli("doctor")
    assert aoti.BACKEND in cli("inspect", program.path)
