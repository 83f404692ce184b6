"""Defines operators of this runtime in PyTorch: torch.ops.<namespace>.<name>, with and without out, for CPU and meta."""

from collections.abc import Callable, Iterable
from typing import Any

import torch

from executorch.extension.pybindings import _portable_lib

_CODES = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
    torch.float64: 7, torch.complex32: 8, torch.complex64: 9, torch.complex128: 10, torch.bool: 11, torch.bfloat16: 15,
    torch.bits16: 22, torch.uint16: 27,
}  # fmt: skip

# The sizes and types of an operator's results, from its arguments by name.
Results = Callable[[dict[str, Any]], list[tuple[list[int], torch.dtype]]]

_libraries: dict[str, torch.library.Library] = {}


class _Operator:
    """A registered operator, called with PyTorch's tensors."""

    def __init__(self, name: str, results: Results):
        self.name = name
        self.schema = torch._C.parse_schema(name + _portable_lib._get_operator_schema(name))
        self._inputs = [a for a in self.schema.arguments if not a.is_out]
        self._outs = [a.name for a in self.schema.arguments if a.is_out]
        self._results = results

    def functional_schema(self, name: str) -> str:
        """The schema without outs, which are returned instead."""
        arguments = str(self.schema).partition("(")[2].rpartition(") -> ")[0].split(", ")
        kept = [a for a in arguments if a.split("=")[0].split(" ")[-1] not in self._outs]
        if kept[-1] == "*":
            kept.pop()
        returns = "Tensor" if len(self._outs) == 1 else f"({', '.join(['Tensor'] * len(self._outs))})"
        return f"{name}({', '.join(kept)}) -> {returns}"

    def _bind(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, Any]:
        # PyTorch leaves out what equals the default.
        values = {a.name: a.default_value if a.has_default_value() else None for a in self._inputs}
        values.update(zip(values, args))
        values.update((key, value) for key, value in kwargs.items() if key in values)
        return values

    def _run(self, values: dict[str, Any], outs: list[torch.Tensor]) -> None:
        plain = [_CODES[v] if isinstance(v, torch.dtype) else v for v in values.values()]
        tensors = [v.detach() if isinstance(v, torch.Tensor) else v for v in plain]
        _portable_lib._call_operator(self.name, [*tensors, *(out.detach() for out in outs)])

    def _empty(self, values: dict[str, Any], device: str) -> list[torch.Tensor]:
        return [torch.empty(sizes, dtype=dtype, device=device) for sizes, dtype in self._results(values)]

    def functional(self, *args, **kwargs):
        values = self._bind(args, kwargs)
        outs = self._empty(values, "cpu")
        self._run(values, outs)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def functional_meta(self, *args, **kwargs):
        outs = self._empty(self._bind(args, kwargs), "meta")
        return outs[0] if len(outs) == 1 else tuple(outs)

    def out(self, *args, **kwargs):
        values = self._bind(args, kwargs)
        outs = self.out_meta(*args, **kwargs)
        outs = [outs] if len(self._outs) == 1 else list(outs)
        self._run(values, outs)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def out_meta(self, *args, **kwargs):
        outs = [kwargs[name] for name in self._outs]
        for out, (sizes, _) in zip(outs, self._results(self._bind(args, kwargs))):
            if list(out.shape) != list(sizes):
                out.resize_(sizes)
        return outs[0] if len(outs) == 1 else tuple(outs)


def _functional_name(name: str) -> str:
    """The name that PyTorch gives the form without outs: "add.out" is "add", "embedding.dtype_out" is "embedding.dtype"."""
    base, overload = name.split(".")
    overload = overload.removesuffix("out").removesuffix("_").lower()
    return f"{base}.{overload}" if overload else base


def define(names: Iterable[str], results: dict[str, Results]) -> None:
    """Defines registered operators, and whatever of them PyTorch has already is left alone. `results` has one entry for
    each name without namespace and overload."""
    known = set(torch._C._dispatch_get_all_op_names())
    for full_name in names:
        namespace, name = full_name.split("::")
        operator = _Operator(full_name, results[name.split(".")[0]])
        library = _libraries.setdefault(namespace, torch.library.Library(namespace, "FRAGMENT"))
        forms = [
            (_functional_name(name), operator.functional_schema, operator.functional, operator.functional_meta),
            (name, lambda own: str(operator.schema).split("::")[1], operator.out, operator.out_meta),
        ]
        for own, schema, function, meta in forms:
            if f"{namespace}::{own}" in known:
                continue
            library.define(schema(own))
            library.impl(own, function, "CPU")
            library.impl(own, meta, "Meta")
