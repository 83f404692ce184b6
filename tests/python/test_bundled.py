"""Bundled programs, data loaders and the legacy profiler through portable_lib."""

import struct

import numpy as np
import pytest

from executorch.extension.pybindings import data_loader, portable_lib


@pytest.fixture
def content(data):
    return (data / "bundled" / "model.bpte").read_bytes()


@pytest.fixture
def bundle(content):
    return portable_lib._load_bundled_program_from_buffer(content)


def test_verify(bundle):
    for case in (0, 1):
        outputs = bundle.verify_result_with_bundled_expected_output("forward", case)
        assert [np.asarray(output).shape for output in outputs] == [(2, 3), (2,)]


def test_mismatch_names_the_element(bundle):
    with pytest.raises(RuntimeError, match=r"(?s)'forward', test case 2: output 0: element \[0, 0\] is .*expected 0 .*status 0x20"):
        bundle.verify_result_with_bundled_expected_output("forward", 2)
    # Integers stay exact whatever is allowed of floats.
    with pytest.raises(RuntimeError, match="output 1: element .* is not the expected one"):
        bundle.verify_result_with_bundled_expected_output("forward", 2, atol=100)


@pytest.mark.parametrize(
    "method, case, words",
    [("forward", 3, "3 test cases.*number 3"), ("forward", -1, "number -1"), ("count", 0, "no test cases.*count"), ("x", 0, "'x'")],
)
def test_cases_that_do_not_exist(bundle, method, case, words):
    with pytest.raises(RuntimeError, match=f"(?s){words}.*0x12"):
        bundle.verify_result_with_bundled_expected_output(method, case)


def test_module_from_bundle(bundle):
    for options in ({}, {"data_map_buffer": None}, {"data_path": None, "enable_etdump": True}):
        module = portable_lib._load_for_executorch_from_bundled_program(bundle, **options)
        assert set(module.method_names()) == {"forward", "count"} and module.run_method("count") == [7]
        assert module.has_etdump() == ("enable_etdump" in options)
    module.load_bundled_input(bundle, "forward", 1)
    found = module.plan_execute("forward")
    expected = module.verify_result_with_bundled_expected_output(bundle, "forward", 1)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_module_outlives_the_bundle(content):
    module = portable_lib._load_for_executorch_from_bundled_program(
        portable_lib._load_bundled_program_from_buffer(bytearray(content)), enable_etdump=True
    )
    assert module.run_method("count") == [7]


@pytest.mark.parametrize("where", range(1, 16, 5))
def test_bundles_at_odd_addresses(content, where):
    shifted = memoryview(b"\0" * where + content)[where:]
    portable_lib._load_bundled_program_from_buffer(shifted).verify_result_with_bundled_expected_output("forward", 0)


@pytest.mark.parametrize("junk", [b"", b"x", b"x" * 100, b"\0" * 5000])
def test_no_bundle(junk):
    with pytest.raises(RuntimeError, match="(?s)bundled program: .*0x12"):
        portable_lib._load_bundled_program_from_buffer(junk)


def test_a_program_is_no_bundle(data):
    with pytest.raises(RuntimeError, match="expected the identifier BP08, found 'ET12'"):
        portable_lib._load_bundled_program_from_buffer((data / "programs" / "add_mul" / "model.pte").read_bytes())


def test_truncated_bundles_are_refused(content):
    for size in range(0, len(content) - 64, 41):
        with pytest.raises(RuntimeError):
            portable_lib._load_bundled_program_from_buffer(content[:size]).verify_result_with_bundled_expected_output("forward", 0)


def test_damaged_bundles_do_not_crash(data, run_python):
    code = """
import random, struct, sys
from executorch.extension.pybindings import portable_lib
content, chance, refused = open(sys.argv[1], "rb").read(), random.Random(3), 0
for _ in range(1500):
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 1, 4))):
        at = chance.randrange(len(content) // 4) * 4
        damaged[at : at + 4] = struct.pack("<I", chance.choice((0, 1, 255, 2**31 - 1, 2**32 - 1, chance.randrange(2**32))))
    try:
        bundle = portable_lib._load_bundled_program_from_buffer(damaged)
        bundle.verify_result_with_bundled_expected_output("forward", 0)
    except RuntimeError:
        refused += 1
print(refused)
"""
    assert int(run_python(code, str(data / "bundled" / "model.bpte"))) > 100


def test_sizes_must_fit_the_data(content):
    # The shape [2, 4] of an input, as a FlatBuffers vector.
    shape = struct.pack("<III", 2, 2, 4)
    assert shape in content
    for sizes in ((2, 5), (2**31 - 1, 2**31 - 1), (2, 2**32 - 4)):
        damaged = content.replace(shape, struct.pack("<III", 2, *sizes))
        with pytest.raises(RuntimeError, match="(?s)test case 0 of method 'forward': input 0: .*0x12"):
            portable_lib._load_bundled_program_from_buffer(damaged)


def test_data_loader(data, tmp_path):
    content = (data / "programs" / "add_mul" / "model.pte").read_bytes()
    path = tmp_path / "model.pte"
    path.write_bytes(content)
    loader = data_loader._file_data_loader(path)
    assert isinstance(loader, portable_lib.PyDataLoader)
    modules = [portable_lib._load_for_executorch_from_data_loader(loader) for _ in range(2)]
    del loader
    for module in modules:
        assert np.asarray(module([np.ones((2, 2), np.float32)] * 3)[0])[0, 0] == 3
    with pytest.raises(TypeError):
        data_loader.PyDataLoader()
    with pytest.raises(TypeError):
        portable_lib._load_for_executorch_from_data_loader(content)
    with pytest.raises(RuntimeError, match="nowhere.*0x:22"):
        data_loader._file_data_loader("/nowhere")


def test_a_file_that_shrinks_gives_an_error(data, tmp_path):
    path = tmp_path / "model.pte"
    path.write_bytes((data / "programs" / "linear" / "model.pte").read_bytes())
    module = portable_lib._load_for_executorch_from_data_loader(data_loader._file_data_loader(path))
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(RuntimeError):
        module.method_names()


def test_profile_blocks():
    portable_lib._create_profile_block("mine")
    dump = portable_lib._dump_profile_results()
    assert isinstance(dump, bytes) and b"mine\0" in dump
    portable_lib._reset_profile_results()
    assert len(portable_lib._dump_profile_results()) == len(dump)


def test_portable_lib_is_complete():
    for name in portable_lib.__all__:
        assert hasattr(portable_lib, name)
    assert len(portable_lib.__all__) == len(set(portable_lib.__all__))
