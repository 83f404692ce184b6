"""Odd inputs, threads and lifetimes: results or a text, never a crash."""

import gc
import pickle
import threading

import numpy as np
import pytest

from executorch.extension.pybindings import portable_lib
from executorch.runtime import Runtime

ONES = [np.ones((2, 2), np.float32)] * 3


@pytest.fixture
def add_mul(data):
    return data / "programs" / "add_mul" / "model.pte"


@pytest.fixture
def method(add_mul):
    return Runtime.get().load_program(add_mul).load_method("forward")


@pytest.mark.parametrize(
    "odd",
    [
        np.ones((2, 2), object), np.ones((2, 2), "U3"), np.ones((2, 2), "M8[s]"), np.ones((2, 2), [("a", "f4"), ("b", "i4")]),
        np.ones((2, 2), np.longdouble), np.ones((2, 2), bool), np.ones((2, 2), np.complex64), np.float32(1), np.zeros((0, 2), np.float32),
        np.ones((1,) * 20, np.float32), np.broadcast_to(np.float32(1), (2**30, 2**20)),
        np.broadcast_to(np.float32(1), (2**31 - 1, 2**29)), np.broadcast_to(np.float32(1), (3, 2**31)), "\ud800", "text", b"bytes", {}, {1: 2}, ..., 2**70, [1.0], type,
    ],
    ids=lambda odd: f"{type(odd).__name__}-{getattr(odd, 'dtype', '')}-{getattr(odd, 'shape', '')}",
)  # fmt: skip
def test_odd_inputs_are_refused_with_a_text(method, odd):
    with pytest.raises(RuntimeError, match="input 0 of .{20}"):
        method.execute([odd, *ONES[1:]])
    assert np.asarray(method.execute(ONES)[0])[0, 0] == 3


def test_byte_order_and_alignment(method):
    swapped = np.arange(4, dtype=">f4").reshape(2, 2)
    (output,) = method.execute([swapped, np.eye(2, dtype=np.float32), np.zeros((2, 2), np.float32)])
    np.testing.assert_array_equal(np.asarray(output), swapped)
    odd_address = np.frombuffer(b"\0" + np.arange(4, dtype=np.float32).tobytes(), np.float32, offset=1).reshape(2, 2)
    (output,) = method.execute([odd_address, np.eye(2, dtype=np.float32), np.zeros((2, 2), np.float32)])
    np.testing.assert_array_equal(np.asarray(output), odd_address)


def test_torch_tensors_of_every_kind(method):
    torch = pytest.importorskip("torch")
    x = torch.randn(2, 2)

    class Sub(torch.Tensor):
        pass

    eye, zeros = torch.eye(2), torch.zeros(2, 2)
    for tensor in (x, x.clone().requires_grad_(), x.requires_grad_() * 1, x.detach().as_subclass(Sub), torch._neg_view(x.detach()), x.t()):
        (output,) = method.execute([tensor, eye, zeros])
        torch.testing.assert_close(output, torch.Tensor(tensor.detach()), check_stride=False)
    for tensor in (x.to_sparse(), torch.empty(2, 2, device="meta"), torch.quantize_per_tensor(x.detach(), 0.1, 0, torch.qint8)):
        with pytest.raises((RuntimeError, TypeError, BufferError)):
            method.execute([tensor, eye, zeros])


def test_inputs_that_are_written(data, tmp_path):
    method = Runtime.get().load_program(data / "bundled" / "writes_input.pte").load_method("forward")
    x = np.ones(3, np.float32)
    assert (np.asarray(method.execute([x, 2])[-1]) == 6).all() and (x == 3).all()
    # Mapped for reading: a write would end the process.
    np.save(tmp_path / "x.npy", np.ones(3, np.float32))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert (np.asarray(method.execute([mapped, 2])[-1]) == 6).all() and (mapped == 1).all()


@pytest.mark.parametrize("number", [2, np.int64(2), np.uint8(2), np.array(2)], ids=repr)
def test_numbers_of_numpy(data, number):
    method = Runtime.get().load_program(data / "bundled" / "writes_input.pte").load_method("forward")
    assert (np.asarray(method.execute([np.ones(3, np.float32), number])[-1]) == 6).all()


def test_memory_that_may_change_is_copied(add_mul):
    content = bytearray(add_mul.read_bytes())
    program = portable_lib._load_program_from_buffer(content)
    content[:] = b"\xff" * len(content)
    content.clear()
    assert np.asarray(program.load_method("forward")(ONES)[0])[0, 0] == 3
    view = memoryview(bytearray(add_mul.read_bytes())).toreadonly()
    program = portable_lib._load_program_from_buffer(view)
    del view
    gc.collect()
    assert np.asarray(program.load_method("forward")(ONES)[0])[0, 0] == 3


def test_paths(add_mul, tmp_path):
    import os

    path = os.fsencode(tmp_path) + b"/\xff.pte"
    with open(path, "wb") as file:
        file.write(add_mul.read_bytes())
    program = Runtime.get().load_program(os.fsdecode(path))
    assert np.asarray(program.load_method("forward").execute(ONES)[0])[0, 0] == 3
    with pytest.raises(ValueError, match="null byte"):
        Runtime.get().load_program(f"{add_mul}\0")
    with pytest.raises(RuntimeError, match=r"\\xfe"):
        Runtime.get().load_program(os.fsdecode(b"/nowhere/\xfe"))
    with open(add_mul, encoding="latin1") as file, pytest.raises(TypeError, match="binary"):
        Runtime.get().load_program(file)


def test_timeouts(method):
    for seconds in (-1, 0):
        with pytest.raises(RuntimeError, match="(?i)deadline|time"):
            method.execute(ONES, timeout=seconds)
    with pytest.raises(ValueError, match="not a number"):
        method.execute(ONES, timeout=float("nan"))
    for seconds in (1e5, 1e300, float("inf")):
        assert np.asarray(method.execute(ONES, timeout=seconds)[0])[0, 0] == 3


def test_methods_pickle(method):
    again = pickle.loads(pickle.dumps(method))
    assert np.asarray(again.execute(ONES)[0])[0, 0] == 3


def run_threads(*jobs):
    failures = []

    def guarded(job):
        try:
            job()
        except Exception as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures, failures


def test_outputs_and_traces_while_others_run(add_mul, tmp_path):
    program = portable_lib._load_program(str(add_mul), enable_etdump=True)
    methods = [program.load_method("forward") for _ in range(2)]

    def run(method):
        for _ in range(50):
            method(ONES)

    def read():
        for _ in range(50):
            methods[0].get_outputs()

    def trace():
        for number in range(20):
            methods[0](ONES)
            program.write_etdump_result_to_file(str(tmp_path / f"{number}.etdp"))

    methods[0](ONES)
    run_threads(lambda: run(methods[0]), lambda: run(methods[1]), read)
    run_threads(lambda: run(methods[0]), trace)


def test_one_tracer_for_all_methods_of_a_module(data):
    module = portable_lib._load_for_executorch(str(data / "programs" / "two_methods" / "model.pte"), enable_etdump=True)
    x = [np.ones((2, 4), np.float32)]

    def run(name):
        for _ in range(50):
            module.run_method(name, x)

    run_threads(*[lambda name=name: run(name) for name in ("forward", "twice") * 2])


def test_a_method_lives_while_it_runs(add_mul):
    program = Runtime.get().load_program(add_mul)
    holder = [program.load_method("forward")]
    del program
    outputs = []

    def run():
        method = holder[0]
        for _ in range(100):
            outputs.append(method.execute(ONES))

    def drop():
        holder[0] = None if holder[0] is None else holder[0]
        gc.collect()

    run_threads(run, drop, drop)
    holder.clear()
    gc.collect()
    assert all(np.asarray(output[0])[0, 0] == 3 for output in outputs)


def test_two_threads_get_the_same_method(add_mul):
    program = Runtime.get().load_program(add_mul)
    found = []
    run_threads(*[lambda: found.append(program.load_method("forward")) for _ in range(4)])
    assert len(set(map(id, found))) == 1


def test_after_fork(add_mul, run_python):
    code = """
import os, sys
import numpy as np
from executorch.runtime import Runtime
method = Runtime.get().load_program(sys.argv[1]).load_method("forward")
ones = [np.ones((2, 2), np.float32)] * 3
method.execute(ones)
child = os.fork()
if child == 0:
    os._exit(0 if np.asarray(method.execute(ones)[0])[0, 0] == 3 else 1)
assert os.waitpid(child, 0)[1] == 0
"""
    run_python(code, str(add_mul))
