"""Every operator that adds up its operand, over more numbers than a float can count one by one."""

import pytest
import torch

from ops import calling
from ops.conftest import schemas
from ops.recording import Sample, run_twin, tensors_in
from ops.rows import Row, parse_rows

_LENGTH = 2**24 + 2**22
_SHORT = 256  # on this length an operator shows whether it reduces
_NUMBERS = {"p": 2, "ord": 2, "correction": 1, "unbiased": True, "dim": 0, "normalized_shape": None, "eps": 1e-5}
# They put elements in order, which takes long here and adds nothing up.
_ORDER = {"sort", "argsort", "topk", "kthvalue", "median", "nanmedian", "mode", "_unique2", "unique_dim", "searchsorted", "bucketize"}
_VECTOR_PRODUCTS = {"linear"}  # PyTorch takes a weight of one dimension, ours is a matrix
_TOLERANCE = {torch.float32: 1e-4, torch.bfloat16: 2e-2, torch.float16: 2e-2}


def _fill(argument, tensors):
    """A value for an argument; LookupError where there is none to guess."""
    kind, name = str(argument.type), argument.name
    if kind == "Tensor":
        return next(tensors)
    if name in _NUMBERS and "Tensor" not in kind:
        return [_NUMBERS[name]] if "List" in kind else _NUMBERS[name]
    if argument.has_default_value():
        return argument.default_value
    if kind.startswith("Optional"):
        return None
    if kind == "bool":
        return False
    raise LookupError(name)


def _sample(row: Row, length: int, dtype: torch.dtype) -> Sample:
    """Ones and twos; where there is a second operand, it is half of that."""

    def operands():
        values = torch.ones(length, dtype=dtype)
        values[1::2] = 2
        while True:
            yield values
            values = values / 2

    tensors = operands()
    inputs = [_fill(argument, tensors) for argument in row.inputs]
    inputs = [[length] if a.name == "normalized_shape" else v for a, v in zip(row.inputs, inputs)]
    return Sample(row, inputs)


def _in_double(row: Row, length: int) -> list:
    return list(tensors_in(run_twin(row, _sample(row, length, torch.float64).inputs, {})[1]))


def _reduces(row: Row) -> bool:
    """Whether a result is smaller than the operand, or depends on its length."""
    if row.namespace != "aten" or row.base in _ORDER | _VECTOR_PRODUCTS or row.twin is None or not row.reproducible or not row.outs:
        return False
    if not row.inputs or str(row.inputs[0].type) != "Tensor":
        return False
    try:
        results, longer = _in_double(row, _SHORT), _in_double(row, 2 * _SHORT)
    except Exception:  # noqa: BLE001  the guessed arguments don't suit it
        return False
    if not 0 < len(results) <= 4 or any(r.is_complex() or r.numel() > 4 * _SHORT for r in results):
        return False
    return any(r.numel() and (r.numel() < _SHORT or _last_differs(r, b)) for r, b in zip(results, longer))


def _last_differs(a: torch.Tensor, b: torch.Tensor) -> bool:
    return not torch.isclose(a.flatten()[-1].double(), b.flatten()[-1].double(), equal_nan=True)


@pytest.fixture(scope="module")
def reducing():
    rows = [row for row in parse_rows(schemas()).values() if _reduces(row)]
    names = {row.base for row in rows}
    assert {"sum", "mean", "var", "std_mean", "cumsum", "logcumsumexp", "linalg_vector_norm", "native_layer_norm"} <= names, names
    return rows


def _difference(ours: torch.Tensor, theirs: torch.Tensor, tolerance: float) -> str | None:
    if ours.shape != theirs.shape:
        return f"shape {list(ours.shape)}, expected {list(theirs.shape)}"
    near = torch.isclose(ours.double(), theirs.to(ours.dtype).double(), rtol=tolerance, atol=1e-12, equal_nan=True)
    if bool(near.all()):
        return None
    place = int((~near).flatten().nonzero()[0])
    return f"{ours.flatten()[place].item()} at {place}, expected {theirs.flatten()[place].item()}"


@pytest.mark.parametrize("dtype", _TOLERANCE, ids=str)
def test_sums_do_not_stick(reducing, dtype, request):
    if dtype != torch.float32 and not request.config.getoption("--all-samples"):
        pytest.skip("half types are summed in float: --all-samples tries them")
    failures = []
    for row in reducing:
        expected = _in_double(row, _LENGTH)
        sample = _sample(row, _LENGTH, dtype)
        sample.expected = [e.to(dtype) if e.is_floating_point() else e for e in expected]
        with calling.Call(sample) as call:
            try:
                results = list(tensors_in(call.run()))
            except calling.Refused as refusal:
                failures.append(f"{row.name}: refused: {refusal}")
                continue
            texts = [_difference(o, e, _TOLERANCE[dtype]) for o, e in zip(results, expected, strict=True)]
        failures += [f"{row.name}: {text}" for text in texts if text]
    assert not failures, "\n".join(failures)
