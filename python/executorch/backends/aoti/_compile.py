"""Drives AOTInductor and collects what the delegate must know of its result."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Sequence

from executorch.backends.aoti import BACKEND, _payload

# By name, as in scalar_type.h.
_DTYPES = {
    "uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "float32": 6, "float64": 7, "bool": 11,
    "bfloat16": 15,
}  # fmt: skip
# Bits of the vectors that AOTInductor may use; 1: it writes plain loops, which the compiler may vectorise.
_VECTOR_BITS = {"x86-64": 1, "x86-64-v2": 1, "x86-64-v3": 256, "x86-64-v4": 512, "armv8-a": 128}
# Sizes that have no bound in the exported program are planned for this many elements.
_UNBOUNDED = 1 << 16


def write_program(programs: Any, path: str | os.PathLike, instruction_set: str | None, options: Dict[str, Any]) -> Sequence[str]:
    import torch

    if isinstance(programs, torch.export.ExportedProgram):
        programs = {"forward": programs}
    instruction_set = instruction_set or ("armv8-a" if platform.machine() == "aarch64" else "x86-64-v3")
    if instruction_set not in _VECTOR_BITS:
        raise ValueError(f"instruction set {instruction_set!r} is not known, these are: {', '.join(_VECTOR_BITS)}")
    methods = [_compile_method(name, program, instruction_set, options) for name, program in programs.items()]
    _payload.write(methods, path, BACKEND)
    return [method.digest for method in methods]


def _inductor_options(instruction_set: str) -> Dict[str, Any]:
    return {
        "aot_inductor.link_libtorch": False,
        "aot_inductor.package": True,
        "aot_inductor.package_constants_in_so": False,
        "aot_inductor.package_constants_on_disk_format": "binary_blob",
        "aot_inductor.precompile_headers": False,
        # Constants are laid out, and batch norms folded into them, when the program is compiled; oneDNN's own layouts would
        # need oneDNN where it runs.
        "freezing": True,
        "cpp.weight_prepack": False,
        # Matrix products and convolutions are shims, which use the threads of the runtime's pool.
        "max_autotune": False,
        "cpp.threads": 1,
        "cpp.march": instruction_set,
        "cpp.simdlen": _VECTOR_BITS[instruction_set],
    }


@contextlib.contextmanager
def _captured_graph() -> Iterator[List[Any]]:
    """What AOTInductor knows of the code that it writes: its constants, inputs and outputs. PyTorch tells by no other way
    what the code takes for granted."""
    from torch._inductor.codecache import AotCodeCompiler

    graphs: List[Any] = []
    original = AotCodeCompiler.compile.__func__

    def compile_and_keep(cls: Any, graph: Any, *args: Any, **kwargs: Any) -> Any:
        graphs.append(graph)
        return original(cls, graph, *args, **kwargs)

    AotCodeCompiler.compile = classmethod(compile_and_keep)
    try:
        yield graphs
    finally:
        AotCodeCompiler.compile = classmethod(original)


def _compile_method(name: str, program: Any, instruction_set: str, options: Mapping[str, Any]) -> _payload.Method:
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    _check_arguments(name, program)
    with tempfile.TemporaryDirectory(prefix="executorch-aoti-") as folder:
        settings = {**_inductor_options(instruction_set), "aot_inductor.output_path": folder, **options}
        args, kwargs = program.example_inputs
        # Attention as matrix products, which the runtime has.
        with torch.no_grad(), sdpa_kernel([SDPBackend.MATH]), _captured_graph() as graphs:
            files = torch._inductor.aot_compile(program.module(), args, kwargs, options=settings)
        if len(graphs) != 1:
            raise RuntimeError(f"method {name}: AOTInductor compiled {len(graphs)} graphs, one is expected")
        (library,) = [file for file in files if isinstance(file, str) and file.endswith(".so")]
        code = _read_code(name, library)
    graph = graphs[0]
    symbols = _Symbols(name, graph)
    return _payload.Method(
        name=name,
        code=code,
        instruction_set=instruction_set,
        producer=f"torch {torch.__version__}",
        constants=_constants(name, graph),
        inputs=[symbols.tensor(f"input {i}", node) for i, node in enumerate(graph.graph_inputs.values())],
        outputs=[symbols.tensor(f"output {i}", node) for i, node in enumerate(graph.graph_outputs)],
    )


def _check_arguments(name: str, program: Any) -> None:
    from torch.export.graph_signature import InputKind, TensorArgument

    for spec in program.graph_signature.input_specs:
        if spec.kind == InputKind.USER_INPUT and not isinstance(spec.arg, TensorArgument):
            raise ValueError(f"method {name}: input {spec.arg.name} is no tensor")
    for spec in program.graph_signature.output_specs:
        if not isinstance(spec.arg, TensorArgument):
            raise ValueError(f"method {name}: output {getattr(spec.arg, 'name', spec.arg)} is no tensor")
    if program.example_inputs is None:
        raise ValueError(f"method {name}: the exported program has no example inputs")


def _shims() -> set:
    """The shims of the runtime, under the names that PyTorch gives them."""
    import executorch
    from executorch.cli import elf

    folder = os.path.dirname(os.path.abspath(executorch.__file__))
    library = elf.read(os.path.join(folder, "lib", "libaoti_cpu_shims.so"))
    assert library is not None
    return {"aoti_torch_" + name[len("et_aoti_c1_") :] for name in library.defined if name.startswith("et_aoti_c1_")}


def _read_code(name: str, path: str) -> bytes:
    """The shared object without what is of use to debuggers only."""
    from executorch.cli import elf

    library = elf.read(path)
    if library is None:
        raise RuntimeError(f"method {name}: AOTInductor made {os.path.basename(path)}, which is no ELF file")
    missing = sorted(symbol for symbol in library.undefined if symbol.startswith("aoti_torch_") and symbol not in _shims())
    if missing:
        raise NotImplementedError(
            f"method {name}: its code calls functions of PyTorch that the runtime does not have: {', '.join(missing)}"
        )
    strangers = [needed for needed in library.needed if needed.startswith(("libtorch", "libc10", "libgomp", "libiomp", "libomp"))]
    if strangers:
        raise RuntimeError(f"method {name}: its code needs {', '.join(strangers)}, which the runtime does not load")
    if strip := shutil.which("strip"):
        subprocess.run([strip, "--strip-unneeded", path], check=True)
    with open(path, "rb") as file:
        return file.read()


def _dtype(where: str, dtype: Any) -> int:
    number = _DTYPES.get(str(dtype).removeprefix("torch."))
    if number is None:
        raise ValueError(f"{where} is of type {dtype}, which is not supported")
    return number


def _storage_bytes(tensor: Any) -> bytes:
    import ctypes

    storage = tensor.untyped_storage()
    return ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""


def _constants(name: str, graph: Any) -> List[_payload.Constant]:
    result = []
    for constant in graph.constants:
        tensor = graph.get_original_value_of_constant(constant)
        where = f"method {name}: constant {constant}"
        if tensor.device.type != "cpu" or tensor.is_mkldnn:
            raise ValueError(f"{where} is no plain tensor on the CPU")
        fqn = graph.dynamo_flat_name_to_original_fqn.get(constant) or graph.allocated_constant_name[constant]
        result.append(
            _payload.Constant(
                fqn=fqn,
                dtype=_dtype(where, tensor.dtype),
                offset=tensor.storage_offset(),
                sizes=list(tensor.size()),
                strides=list(tensor.stride()),
                data=_storage_bytes(tensor),
                written=constant in graph.mutated_buffers,
            )
        )
    return result


class _Symbols:
    """Numbers the sizes that are not known before the run."""

    def __init__(self, method: str, graph: Any) -> None:
        self._method = method
        self._sizes = graph.sizevars
        self._env = graph.sizevars.shape_env
        self._numbers: Dict[Any, int] = {}

    def _bounds(self, expression: Any) -> tuple:
        from torch.utils._sympy.numbers import int_oo
        from torch.utils._sympy.value_ranges import bound_sympy

        bounds = bound_sympy(expression, self._env.var_to_range)
        least = int(bounds.lower) if bounds.lower != -int_oo else 0
        most = int(bounds.upper) if bounds.upper != int_oo else _UNBOUNDED
        return max(least, 0), min(most, _UNBOUNDED) if most >= 1 << 31 else most

    def _dim(self, where: str, size: Any, is_input: bool) -> _payload.Dim:
        import sympy

        expression = sympy.expand(sympy.sympify(size))
        if expression.is_number:
            return _payload.Dim(int(expression), int(expression))
        least, most = self._bounds(expression)
        if not is_input:
            return _payload.Dim(least, most, 0)
        symbols = sorted(expression.free_symbols, key=str)
        polynomial = sympy.Poly(expression, *symbols)
        if len(symbols) != 1 or polynomial.degree() != 1:
            raise ValueError(f"{where} has a size of {expression}: sizes of inputs must be a multiple of one size plus a number")
        factor, summand = (int(number) for number in polynomial.all_coeffs())
        if factor < 1:
            raise ValueError(f"{where} has a size of {expression}, which falls as {symbols[0]} grows")
        number = self._numbers.setdefault(symbols[0], len(self._numbers))
        return _payload.Dim(least, most, number, factor, summand)

    def tensor(self, which: str, node: Any) -> _payload.Tensor:
        """An input, whose layout the code takes for granted, or an output, which is copied to row-major memory."""
        where = f"method {self._method}: {which}"
        if not hasattr(node, "get_size") or node.get_device().type != "cpu":
            raise ValueError(f"{where} is no tensor on the CPU")
        is_input = which.startswith("input")
        dims = [self._dim(where, size, is_input) for size in node.get_size()]
        order = list(range(len(dims)))
        if is_input:
            order = self._dim_order(where, node, dims)
        return _payload.Tensor(_dtype(where, node.get_dtype()), dims, order)

    def _dim_order(self, where: str, node: Any, dims: List[_payload.Dim]) -> List[int]:
        """Dimensions from the outermost in memory to the innermost. Refused where strides leave gaps."""
        import sympy

        sizes, strides = list(node.get_size()), list(node.get_stride())
        hints = [int(self._sizes.optimization_hint(sympy.sympify(stride))) for stride in strides]
        # A size of one may have any stride: it stays beside its neighbours.
        order = sorted(range(len(dims)), key=lambda d: (-hints[d], d))
        expected = sympy.Integer(1)
        for d in reversed(order):
            if dims[d].most != 1 and sympy.simplify(strides[d] - expected) != 0:
                raise ValueError(f"{where} has strides {strides} for sizes {sizes}: inputs must be dense, e.g. contiguous")
            expected = expected * sizes[d]
        return order
