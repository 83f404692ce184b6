"""Runs PyTorch code and notes the calls that a registered operator can replay."""

import warnings
from dataclasses import dataclass, field
from typing import Any, Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ops.rows import Row, bind, is_written, option_values

DTYPES = [
    torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128,
]  # fmt: skip


_READS_STORAGE = {"as_strided_copy"}  # beyond the operand's own elements
# PyTorch rounds places, of samples or cells, to half types; ours are held against its single precision.
_ROUNDS_PLACES = {"grid_sampler_2d", "grid_sampler_3d", "histc"}
_HALVES = {torch.float16, torch.bfloat16}


@dataclass
class Sample:
    """One call of an operator and what PyTorch made of it."""

    row: Row
    inputs: list  # in schema order, without outs
    expected: list = field(default_factory=list)  # per written argument: a tensor, or a list of tensors
    error: str | None = None  # PyTorch refused the call
    kind: str = "values"
    options: dict = field(default_factory=dict)
    check: Callable[[list], str | None] | None = None  # judges the results instead of `expected`
    returned: Any = None  # of an operator that returns a number
    seed: int | None = None

    @property
    def dtype(self) -> str:
        """Of the operand that decides how the operator computes; of the result where that is drawn."""
        operands = [v for a, v in zip(self.row.inputs, self.inputs) if a.name != "condition"]
        if not self.row.reproducible and not self.row.draws_indices:
            operands = []
        for value in (*tensors_in(operands), *tensors_in(self.expected)):
            return str(value.dtype).removeprefix("torch.")
        return "none"

    def __str__(self) -> str:
        texts = [f"{a.name}={describe(v)}" for a, v in zip(self.row.inputs, self.inputs)]
        if self.expected:
            texts.append("-> " + ", ".join(describe(v) for v in self.expected))
        return f"[{self.kind}] " + ", ".join(texts)


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from tensors_in(item)


def map_tensors(value, function):
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return [map_tensors(item, function) for item in value]
    return value


def describe(value) -> str:
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        text = f"{dtype}{list(value.shape)}"
        if not value.is_contiguous():
            text += f"/strides{list(value.stride())}"
        if value.numel() <= 4:
            text += f"={value.tolist()}"
        return text
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(describe(item) for item in value[:12]) + "]"
    return repr(value)


def snapshot(tensor: torch.Tensor) -> torch.Tensor:
    """A copy that lies like the original where that lies densely."""
    copy = tensor.detach().resolve_conj().resolve_neg().clone()
    return copy


def _expressible(value) -> bool:
    """Whether a program could carry this argument."""
    if isinstance(value, complex):
        return False
    if isinstance(value, bool) or value is None:
        return True
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    if isinstance(value, torch.Tensor):
        return value.dtype in DTYPES and value.layout == torch.strided and value.dim() <= 16
    if isinstance(value, (list, tuple)):
        return all(_expressible(item) for item in value)
    return True


def run_twin(row: Row, inputs: list, options: dict) -> tuple[list, list]:
    """Runs PyTorch on a copy of the inputs: (inputs before, values of the written arguments after)."""
    before = map_tensors(inputs, snapshot)
    working = map_tensors(inputs, snapshot)
    halves = {t.dtype for t in tensors_in(inputs)} & _HALVES if row.base in _ROUNDS_PLACES else set()
    if halves:
        working = map_tensors(working, torch.Tensor.float)
    positional, keyword = [], dict(options)
    for argument, value in zip(row.inputs, working):
        if argument.kwarg_only:
            keyword[argument.name] = value
        else:
            positional.append(value)
    with torch.inference_mode():
        result = row.twin(*positional, **keyword)
    if halves:
        result = result.to(*halves)
    return before, written_values(row, working, result)


_SHORT = {torch.float16, torch.bfloat16, torch.float32}


def run_in_double(sample: Sample) -> list:
    """What PyTorch gives for the sample in double precision, in the types of its results."""
    options = {name: torch.float64 if value in _SHORT else value for name, value in sample.options.items()}
    inputs = map_tensors(sample.inputs, lambda t: t.double() if t.dtype in _SHORT else t)
    types = iter([t.dtype for t in tensors_in(sample.expected)])
    return map_tensors(run_twin(sample.row, inputs, options)[1], lambda t: t.to(next(types)))


def written_values(row: Row, inputs: list, result) -> list:
    values = [snapshot(v) for a, v in zip(row.inputs, inputs) if is_written(a)]
    if not row.outs:
        return values
    if str(row.outs[0].type) == "List[Tensor]":
        return [*values, [snapshot(item) for item in result]]
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    return values + [snapshot(item) for item in results[: len(row.outs)]]


def _is_refusal_of_type(error: Exception) -> bool:
    """Whether PyTorch merely lacks a kernel for a type: no demand on ours."""
    text = str(error)
    return isinstance(error, NotImplementedError) or "not implemented for" in text or "not supported" in text


class Recorder(TorchDispatchMode):
    """Notes calls of the rows' overloads. Use inside torch.inference_mode(), so that composite operators are seen."""

    def __init__(self, rows: list[Row]):
        super().__init__()
        self.samples: list[Sample] = []
        self._exact = {overload: row for row in rows for overload in row.exact}
        self._scalarised: dict = {}
        for row in rows:
            for overload in row.scalarised:
                self._scalarised.setdefault(overload, []).append(row)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        row, scalarised = self._exact.get(func), self._scalarised.get(func, [])
        if row is None and not scalarised:
            if torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd"):
                with self:
                    result = func.decompose(*args, **kwargs)
                if result is not NotImplemented:
                    return result
            return func(*args, **kwargs)
        bound = bind(func, args, kwargs)
        before = {name: map_tensors(value, snapshot) for name, value in bound.items()}
        for target in scalarised:
            self._note_scalarised(target, before)
        if row is None:
            return func(*args, **kwargs)
        return self._note(row, func, before, bound, args, kwargs)

    def _note(self, row, func, before, bound, args, kwargs):
        inputs = [before[a.name] for a in row.inputs]
        usable = all(map(_expressible, inputs)) and _kinds_match(row, inputs)
        sample = Sample(row, inputs, options=option_values(func, before))
        try:
            result = func(*args, **kwargs)
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            if usable and not _is_refusal_of_type(error):
                sample.error, sample.kind = str(error).splitlines()[0], "error"
                self.samples.append(sample)
            raise
        if usable and row.base in _READS_STORAGE:
            self._note_on_own_storage(row, inputs)
        elif usable:
            if row.base in _ROUNDS_PLACES:
                with torch._C._DisableTorchDispatch():
                    sample.expected = run_twin(row, inputs, {})[1]
            else:
                sample.expected = self._expected(row, bound, result)
            if all(map(_expressible, sample.expected)):
                self.samples.append(sample)
        return result

    def _note_on_own_storage(self, row, inputs):
        """Asks PyTorch again with operands that are not parts of larger tensors."""
        try:
            with torch._C._DisableTorchDispatch():
                inputs, expected = run_twin(row, inputs, {})
        except RuntimeError:
            return
        self.samples.append(Sample(row, inputs, expected))

    @staticmethod
    def _expected(row, bound, result):
        with torch._C._DisableTorchDispatch():
            expected = written_values(row, [bound[a.name] for a in row.inputs], result)
            if row.copies_a_view:
                expected = map_tensors(expected, torch.Tensor.contiguous)
            return expected

    def _note_scalarised(self, row, before):
        """Tries the row with the first element of each tensor that it takes as a number."""
        inputs = []
        for argument in row.inputs:
            value = before[argument.name]
            if isinstance(value, torch.Tensor) and "number" in str(argument.type):
                if value.numel() == 0:
                    return
                value = value.flatten()[0].item()
            inputs.append(value)
        if row.twin is None or not all(map(_expressible, inputs)) or not _kinds_match(row, inputs):
            return
        try:
            with torch._C._DisableTorchDispatch():
                inputs, expected = run_twin(row, inputs, {})
        except (RuntimeError, IndexError, ValueError, TypeError, ZeroDivisionError):
            return
        if all(map(_expressible, expected)):
            self.samples.append(Sample(row, inputs, expected))


def _kinds_match(row: Row, inputs: list) -> bool:
    """False for numbers where the row takes a tensor: PyTorch wraps them, a program cannot."""
    for argument, value in zip(row.inputs, inputs):
        kind = str(argument.type)
        if kind == "Tensor" and not isinstance(value, torch.Tensor):
            return False
        if kind == "Optional[Tensor]" and value is not None and not isinstance(value, torch.Tensor):
            return False
    return True


def record(rows: list[Row], function: Callable[[], Any]) -> list[Sample]:
    """Runs the function and returns the calls of the rows in it. Errors of the function are left out."""
    recorder = Recorder(rows)
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        try:
            with recorder:
                function()
        except Exception:  # noqa: BLE001  the database also contains calls that are meant to fail, in any way
            pass
    return recorder.samples
