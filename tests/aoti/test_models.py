"""Programs of AOTInductor give eager's values, in processes without PyTorch."""

import copy

import aoti_models
import numpy as np
import pytest
import torch

from executorch.backends import aoti


def pytest_generate_tests(metafunc):
    if "name" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--all-models")
        metafunc.parametrize("name", [name for name, case in aoti_models.CASES.items() if everything or not case.large])


def test_values(load, name):
    program, case = aoti_models.compiled(name), aoti_models.CASES[name]
    method = load(program.path, backend_options=aoti.trust(program.digest))
    module = copy.deepcopy(program.module)
    for inputs in [case.inputs, *case.more_inputs]:
        expected = module(*inputs)
        expected = expected if isinstance(expected, tuple) else (expected,)
        found = method.execute(inputs)
        assert len(found) == len(expected)
        for ours, eager in zip(found, expected):
            torch.testing.assert_close(ours, eager.contiguous(), rtol=1e-4, atol=1e-5)


def test_instances_keep_state_of_their_own(load, name):
    """Two loads of a program do not see what each other writes."""
    program, case = aoti_models.compiled(name), aoti_models.CASES[name]
    first, second = (load(program.path, backend_options=aoti.trust()) for _ in range(2))
    once = first.execute(case.inputs)
    first.execute(case.inputs)
    for ours, again in zip(once, second.execute(case.inputs)):
        torch.testing.assert_close(ours, again, rtol=0, atol=0)


WITHOUT_TORCH = """
import sys
import numpy as np
from executorch.backends import aoti
from executorch.runtime import Runtime

path, digest, threads, *inputs = sys.argv[1:]
Runtime.get().num_threads = int(threads)
method = Runtime.get().load_program(path, backend_options=aoti.trust(digest)).load_method("forward")
np.save("output.npy", method.execute([np.load(name) for name in inputs])[0])
maps = open("/proc/self/maps").read()
assert "libaoti_cpu_shims" in maps
assert not [word for word in ("libtorch", "libc10", "libgomp", "libomp", "libiomp") if word in maps], maps
assert "torch" not in sys.modules
"""


def test_without_pytorch_in_the_process(run_python, tmp_path):
    """Nor any OpenMP. The result does not depend on the number of threads."""
    program, case = aoti_models.compiled("mlp"), aoti_models.CASES["mlp"]
    for index, tensor in enumerate(case.inputs):
        np.save(tmp_path / f"{index}.npy", tensor.numpy())
    results = []
    for threads in ("1", "2"):
        run_python(WITHOUT_TORCH, str(program.path), program.digest, threads, "0.npy", "1.npy")
        results.append(np.load(tmp_path / "output.npy"))
    np.testing.assert_array_equal(*results)
    expected = program.module(*case.inputs)[0].detach().numpy()
    np.testing.assert_allclose(results[0], expected, rtol=1e-4, atol=1e-5)


WITH_TORCH = """
import sys
from executorch.backends import aoti
from executorch.runtime import Runtime

path, package = sys.argv[1:]
method = Runtime.get().load_program(path, backend_options=aoti.trust()).load_method("forward")
import torch

inputs = [torch.ones(8, 64), torch.ones(8, 1)]
ours = method.execute(inputs)[0]
theirs = torch._inductor.aoti_load_package(package)(*inputs)[0]
torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
torch.testing.assert_close(method.execute(inputs)[0], ours, rtol=0, atol=0)
"""


def test_beside_pytorchs_own_runner(run_python, tmp_path):
    """Our shims do not stand in for PyTorch's, whichever is loaded first."""
    program = aoti_models.compiled("mlp")
    _, exported = aoti_models.export("mlp")
    package = torch._inductor.aoti_compile_and_package(exported, package_path=str(tmp_path / "mlp.pt2"))
    run_python(WITH_TORCH, str(program.path), package)
