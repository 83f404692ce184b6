"""What the exporter leaves of the operators that users write is implemented, or listed as out of scope."""

import itertools
import warnings

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree

from ops import conftest, gaps, sources
from ops.rows import parse_rows

_SAMPLES = 6  # per operator and type
# Left where the exporter's own passes are missing here: calls in place, and forms without writes of operators that write.
_WRITTEN_OTHERWISE = ("_functional", "_")
_COMPOSITES = ("torch_nn",)  # namespaces of operators that the exporter takes apart


def _trace(entry, sample):
    """The graph of one call after the exporter's decompositions."""
    flat, structure = _pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
    operands = [value for value in flat if isinstance(value, torch.Tensor)]

    def function(*tensors):
        tensors = iter(tensors)
        values = [next(tensors) if isinstance(value, torch.Tensor) else value for value in flat]
        first, positional, keyword = _pytree.tree_unflatten(values, structure)
        return entry.op(first, *positional, **keyword)

    functional = torch.func.functionalize(function, remove="mutations_and_views")
    decompositions = dict(torch.export.default_decompositions().items())
    return make_fx(functional, decomposition_table=decompositions)(*operands).graph


def _overloads(entry, dtype):
    for sample in itertools.islice(entry.sample_inputs("cpu", dtype, requires_grad=False), _SAMPLES):
        try:
            graph = _trace(entry, sample)
        except Exception:  # noqa: BLE001  what cannot be traced is not exported either
            continue
        yield from (node.target for node in graph.nodes if isinstance(node.target, torch._ops.OpOverload))


def _left_over(covered: set):
    for entry in sources.database():
        for dtype in {torch.float32, torch.int64} & entry.supported_dtypes("cpu"):
            for overload in _overloads(entry, dtype):
                name = overload._schema.name.removeprefix("aten::")
                if overload not in covered and not name.endswith(_WRITTEN_OTHERWISE) and overload.namespace not in _COMPOSITES:
                    yield name


def test_exported_operators_are_implemented_or_listed(request):
    if not request.config.getoption("--all-samples"):
        pytest.skip("traces PyTorch's whole operator database: ./dev test-ops does")
    covered = {o for row in parse_rows(conftest.schemas()).values() for o in (*row.exact, *row.scalarised)}
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        found = set(_left_over(covered))
    listed = {name for names in gaps.OUT_OF_SCOPE.values() for name in names}
    assert found == listed
