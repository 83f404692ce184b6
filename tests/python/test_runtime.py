"""executorch.runtime and portable_lib: names, results, errors."""

import io
import pickle
import threading

import numpy as np
import pytest

from executorch.extension.pybindings import portable_lib
from executorch.runtime import Method, Program, Runtime, Verification

ONES = [np.ones((2, 2), np.float32)] * 3


@pytest.fixture
def add_mul(data):
    return data / "programs" / "add_mul" / "model.pte"


@pytest.fixture
def numpy_only(run_python):
    return run_python


def test_load_from_path_bytes_and_file(add_mul):
    content = add_mul.read_bytes()
    for source in (add_mul, str(add_mul), content, bytearray(content), io.BytesIO(content)):
        program = Runtime.get().load_program(source)
        assert isinstance(program, Program) and program.method_names == {"forward"}
        (output,) = program.load_method("forward").execute(ONES)
        np.testing.assert_array_equal(np.asarray(output), 3 * np.ones((2, 2)))


def test_wrong_source_type():
    with pytest.raises(TypeError, match="int"):
        Runtime.get().load_program(3)


def test_method_is_cached_and_unknown_is_a_key_error(add_mul):
    program = Runtime.get().load_program(add_mul)
    assert isinstance(program.load_method("forward"), Method)
    assert program.load_method("forward") is program.load_method("forward")
    with pytest.raises(KeyError, match="backward.*forward"):
        program.load_method("backward")


def test_missing_file_names_the_path():
    with pytest.raises(RuntimeError, match="(?s)/nowhere/model.pte.*No such file.*0x:22"):
        Runtime.get().load_program("/nowhere/model.pte")


def test_not_a_program(tmp_path):
    path = tmp_path / "noise.pte"
    path.write_bytes(b"x" * 500)
    with pytest.raises(RuntimeError, match="(?s)noise.pte.*0x:23"):
        Runtime.get().load_program(path)


def test_metadata(data):
    program = Runtime.get().load_program(data / "programs" / "many_outputs" / "model.pte")
    meta = program.metadata("forward")
    assert (meta.name(), meta.num_inputs(), meta.num_outputs()) == ("forward", 1, 5)
    assert meta.input_tensor_meta(0).sizes() == (2, 5) and meta.input_tensor_meta(0).dtype() == 6
    assert meta.input_tensor_meta(0).nbytes() == 40 and meta.input_tensor_meta(0).is_memory_planned()
    assert repr(meta.input_tensor_meta(0)) == "TensorInfo(sizes=[2, 5], dtype=Float, is_memory_planned=True, nbytes=40)"
    assert repr(meta).startswith("MethodMeta(name='forward', num_inputs=1, input_tensor_meta=['TensorInfo(sizes=[2, 5]")
    for index in (-1, 9):
        with pytest.raises(IndexError, match=f"Cannot get input tensor meta at {index}"):
            meta.input_tensor_meta(index)


def test_outputs_of_all_kinds(data):
    program = Runtime.get().load_program(data / "programs" / "many_outputs" / "model.pte")
    outputs = program.load_method("forward").execute([np.arange(10, dtype=np.float32).reshape(2, 5)])
    assert outputs[3] is None and outputs[4] == 3


def test_constant_method(data):
    program = Runtime.get().load_program(data / "programs" / "two_methods" / "model.pte")
    assert program.method_names == {"forward", "twice", "answer"}
    assert program.load_method("answer").execute([]) == [42]


@pytest.mark.parametrize(
    "inputs, words",
    [
        (ONES[:2], "3 inputs.*2 were given"),
        (ONES + ONES, "3 inputs.*6 were given"),
        ([np.ones((2, 2), np.float64)] + ONES[1:], "(?i)input 0.*(double|float64)"),
        ([np.ones((3, 2), np.float32)] + ONES[1:], "(?i)input 0.*3"),
        ([np.ones(2, np.float32)] + ONES[1:], "(?i)input 0"),
        ([1.5] + ONES[1:], "(?i)input 0.*tensor"),
        ([object()] + ONES[1:], "(?i)input 0.*object"),
    ],
)
def test_wrong_inputs_say_what_is_wrong(add_mul, inputs, words):
    method = Runtime.get().load_program(add_mul).load_method("forward")
    with pytest.raises(RuntimeError, match=f"(?s){words}"):
        method.execute(inputs)
    (output,) = method.execute(ONES)
    assert np.asarray(output)[0, 0] == 3


def test_strided_and_readonly_inputs(add_mul):
    method = Runtime.get().load_program(add_mul).load_method("forward")
    base = np.arange(16, dtype=np.float32).reshape(4, 4)
    views = [base[::2, ::2], base[::-2, 1::2], base.T[:2, :2]]
    views[0].flags.writeable = False
    (output,) = method.execute(views)
    np.testing.assert_allclose(np.asarray(output), views[0] @ views[1] + views[2])


def test_torch_in_torch_out(add_mul):
    torch = pytest.importorskip("torch")
    method = Runtime.get().load_program(add_mul).load_method("forward")
    a = torch.nn.Parameter(torch.randn(2, 2))
    (output,) = method.execute([a, torch.ones(2, 2).t(), torch.zeros(4, 4)[::2, ::2]])
    assert isinstance(output, torch.Tensor)
    torch.testing.assert_close(output, a.detach() @ torch.ones(2, 2))


def test_numpy_without_torch(add_mul, run_python):
    code = """
import sys
from executorch.runtime import Runtime
assert "numpy" not in sys.modules and "torch" not in sys.modules
import numpy as np
outputs = Runtime.get().load_program(sys.argv[1]).load_method("forward").execute([np.ones((2, 2), np.float32)] * 3)
assert type(outputs[0]) is np.ndarray and "torch" not in sys.modules
"""
    run_python(code, str(add_mul))


def test_bfloat16_without_torch(data, run_python):
    code = """
import sys
import numpy as np
from executorch.runtime import Runtime
calls = np.load(sys.argv[1] + "/calls.npz")
(out,) = Runtime.get().load_program(sys.argv[1] + "/model.pte").load_method("forward").execute([calls["c0_in0"]])
assert (out.dtype, out.shape) == ("bfloat16", (3, 4)), repr(out)
np.testing.assert_allclose(out.float(), calls["c0_out0"], rtol=2e-2)
assert out.__dlpack_device__() == (1, 0)
"""
    run_python(code, str(data / "programs" / "bfloat16"))


def test_outputs_keep_their_memory_alive(add_mul):
    method = Runtime.get().load_program(add_mul).load_method("forward")
    first = np.asarray(method.execute(ONES)[0])
    method.execute([2 * ONES[0]] * 3)
    assert first[0, 0] == 3
    alias = portable_lib._load_program(str(add_mul)).load_method("forward")(ONES, clone_outputs=False)[0]
    assert np.asarray(alias)[0, 0] == 3


def test_programs_pickle(add_mul, tmp_path):
    program = Runtime.get().load_program(add_mul)
    again = pickle.loads(pickle.dumps(program))
    assert np.asarray(again.load_method("forward").execute(ONES)[0])[0, 0] == 3
    in_memory = pickle.loads(pickle.dumps(Runtime.get().load_program(add_mul.read_bytes())))
    assert in_memory.method_names == {"forward"}
    copy = tmp_path / "copy.pte"
    copy.write_bytes(add_mul.read_bytes())
    frozen = pickle.dumps(Runtime.get().load_program(copy))
    copy.write_bytes(add_mul.read_bytes() + b"\0")
    with pytest.raises(RuntimeError, match="changed"):
        pickle.loads(frozen)


def test_memory_limit(add_mul):
    with pytest.raises(RuntimeError, match="limit is 16"):
        Runtime.get().load_program(add_mul, memory_limit=16).load_method("forward")


def test_deadline(add_mul):
    method = Runtime.get().load_program(add_mul).load_method("forward")
    with pytest.raises(RuntimeError, match="(?i)deadline|time"):
        method.execute(ONES, timeout=0)
    assert np.asarray(method.execute(ONES, timeout=10)[0])[0, 0] == 3


def test_threads_take_turns(add_mul):
    method = Runtime.get().load_program(add_mul).load_method("forward")
    wrong = []

    def work(number):
        for _ in range(200):
            value = np.asarray(method.execute([np.full((2, 2), number, np.float32), ONES[1], ONES[2]])[0])
            if not (value == 2 * number + 1).all():
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_thread_count():
    runtime = Runtime.get()
    before = runtime.num_threads
    runtime.num_threads = 3
    assert runtime.num_threads == 3 == portable_lib._threadpool_get_thread_count()
    runtime.num_threads = before
    with pytest.raises(RuntimeError, match="at least 1"):
        runtime.num_threads = 0


def test_registries():
    runtime = Runtime.get()
    names = runtime.operator_registry.operator_names
    assert {"aten::add.out", "aten::addmm.out", "executorch_prim::add.Scalar", "aten::sym_size.int"} <= names
    assert not runtime.backend_registry.is_available("NoSuchBackend")
    assert isinstance(runtime.backend_registry.registered_backend_names, list)


def test_portable_lib_module(data):
    module = portable_lib._load_for_executorch(str(data / "programs" / "two_methods" / "model.pte"))
    assert set(module.method_names()) == {"forward", "twice", "answer"}
    x = np.ones((2, 4), np.float32)
    first = np.asarray(module.forward([x])[0])
    np.testing.assert_array_equal(first, np.asarray(module(x)[0]))
    np.testing.assert_array_equal(first, np.asarray(module.plan_execute("forward")[0]))
    assert module.run_method("answer") == [42]
    assert module.method_meta("twice").num_inputs() == 1
    with pytest.raises(RuntimeError, match="nothing.*0x"):
        module.run_method("nothing")
    assert not module.has_etdump()
    with pytest.raises(RuntimeError, match="No etdump found"):
        module.write_etdump_result_to_file("out.etdp")


def test_portable_lib_method(add_mul):
    method = portable_lib._load_program(str(add_mul), program_verification=Verification.Minimal).load_method("forward")
    method.set_inputs(ONES)
    method.execute()
    assert np.asarray(method.get_outputs()[0])[0, 0] == 3
    assert method.method_meta().num_inputs() == 3


def test_attribute(data):
    program = portable_lib._load_program(str(data / "programs" / "mutable_buffer" / "model.pte"))
    method = program.load_method("forward")
    np.testing.assert_array_equal(np.asarray(method.get_attribute("total")), np.full(3, 5.0))
    method([np.ones(3, np.float32)])
    np.testing.assert_array_equal(np.asarray(method.get_attribute("total")), np.full(3, 6.0))
    with pytest.raises(RuntimeError, match="nothing"):
        method.get_attribute("nothing")


def test_data_files(data):
    folder = data / "programs" / "two_data_files"
    files = sorted(str(path) for path in folder.glob("*.ptd"))
    assert len(files) == 2
    with pytest.raises(RuntimeError, match="(?i)data"):
        Runtime.get().load_program(folder / "model.pte").load_method("forward")
    with pytest.raises(RuntimeError, match="(?i)lora|base"):
        Runtime.get().load_program(folder / "model.pte", data_path=files[:1]).load_method("forward")
    with pytest.raises(RuntimeError, match="(?i)twice|duplicate|both|already"):
        Runtime.get().load_program(folder / "model.pte", data_path=[files[0], files[0]]).load_method("forward")


def test_etdump(add_mul, tmp_path):
    program = Runtime.get().load_program(add_mul, enable_etdump=True, debug_buffer_size=10000)
    program.load_method("forward").execute(ONES)
    path = tmp_path / "out.etdp"
    program.write_etdump_result_to_file(path, tmp_path / "debug.bin")
    assert path.read_bytes()[8:12] == b"ED00"


def test_absent_modules_say_what_to_do():
    for name in ("executorch.exir", "executorch.export", "executorch.backends.xnnpack.partition.xnnpack_partitioner"):
        with pytest.raises(ImportError, match="export programs in a separate environment"):
            __import__(name)
    with pytest.raises(ImportError):
        import executorch.nonsense  # noqa: F401


def test_c_is_an_alias():
    from executorch.extension.pybindings import _C, _portable_lib

    assert _C is _portable_lib


def test_import_is_light(run_python):
    code = """
import re, time
start = time.perf_counter()
from executorch.runtime import Runtime
print(time.perf_counter() - start, int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
"""
    run_python(code)  # files in the page cache
    _, megabytes = map(float, run_python(code).split())
    assert megabytes < 40


def test_type_stubs_are_shipped(package):
    stubs = (package / "extension" / "pybindings" / "_portable_lib.pyi").read_text()
    assert "class ExecuTorchProgram" in stubs and "def _load_for_executorch(" in stubs and (package / "py.typed").exists()
