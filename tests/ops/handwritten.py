"""Samples of operators for which PyTorch's database has none."""

import math
import random

import torch

from ops import gradients, images, llm_samples, quantized_samples
from ops.recording import DTYPES, Sample, run_twin
from ops.rows import Row
from ops.variants import with_layout

_WHOLE = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
REALS = [dtype for dtype in DTYPES if not dtype.is_complex]


def _tensor(dtype: torch.dtype, *shape: int) -> torch.Tensor:
    if dtype == torch.bool:
        return torch.rand(shape) > 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return torch.randn(shape, dtype=dtype)
    return torch.randint(0 if dtype == torch.uint8 else -9, 10, shape, dtype=dtype)


def _by_twin(row: Row, *calls: list, **options) -> list[Sample]:
    """Samples whose results PyTorch gives, errors included."""
    samples = []
    for inputs in calls:
        try:
            inputs, expected = run_twin(row, inputs, options)
            samples.append(Sample(row, inputs, expected, options=options))
        except (RuntimeError, IndexError, ValueError, TypeError, AssertionError) as error:
            samples.append(Sample(row, inputs, error=str(error).splitlines()[0], kind="error"))
    return samples


# Copies


def _copy(row: Row) -> list[Sample]:
    samples = []
    for to in DTYPES:
        for source in DTYPES:
            if source.is_complex and not to.is_complex:
                continue
            samples += _by_twin(
                row,
                [_tensor(to, 2, 3), _tensor(source, 2, 3), False],
                [_tensor(to, 2, 3), _tensor(source, 3), False],
                [_tensor(to), _tensor(source), False],
                [_tensor(to, 0, 3), _tensor(source, 1, 3), False],
            )
    return samples + _by_twin(row, [_tensor(torch.float32, 2, 3), _tensor(torch.float32, 4, 3), False])


def _few_rows(row: Row) -> list[Sample]:
    """Right sides large enough to be read in parts."""
    samples = []
    for dtype in FLOATS:
        a, b = _tensor(dtype, 3, 300), _tensor(dtype, 300, 700)
        calls = {
            "mm": ([a, b], [a, b.t().contiguous().t()]),
            "linear": ([a, b.t().contiguous(), _tensor(dtype, 700)], [a, b.t().contiguous(), None]),
            "addmm": ([_tensor(dtype, 700), a, b, 1, 1], [_tensor(dtype, 700), a, b, 2, 0.5]),
        }[row.base]
        samples += _by_twin(row, *calls)
    return samples


def _detach(row: Row) -> list[Sample]:
    return [s for dtype in DTYPES for shape in ((), (0, 2), (2, 3, 4)) for s in _by_twin(row, [_tensor(dtype, *shape)])]


def _conjugate(row: Row) -> list[Sample]:
    complex_types = [dtype for dtype in DTYPES if dtype.is_complex]
    return [s for dtype in complex_types for shape in ((), (0, 2), (5, 7)) for s in _by_twin(row, [_tensor(dtype, *shape)])]


def _fill(row: Row) -> list[Sample]:
    shapes = ((), (0, 2), (3, 4))
    calls = [[_tensor(to, *shape), _tensor(of)] for to in DTYPES for of in DTYPES for shape in shapes if torch.can_cast(of, to)]
    return _by_twin(row, *calls, [_tensor(torch.float32, 2), _tensor(torch.float32, 2)])


def _batch_norm(row: Row) -> list[Sample]:
    samples = []
    for dtype in FLOATS:
        for shape in ((2, 3), (4, 3, 5), (2, 3, 4, 5), (1, 2, 3, 2, 2), (2, 1, 7, 7), (0, 3, 2, 2)):
            channels = shape[1]
            vectors = [_tensor(dtype, channels) for _ in range(3)] + [_tensor(dtype, channels).abs() + 0.1]
            weight, bias, mean, variance = vectors
            samples += _by_twin(
                row,
                [_tensor(dtype, *shape), weight, bias, mean, variance, 0.1, 1e-5],
                [_tensor(dtype, *shape), None, None, mean, variance, 0.1, 1e-3],
            )
    return samples


def _batch_norm_of_batch(row: Row) -> list[Sample]:
    calls = []
    for dtype in FLOATS:
        for shape in ((4, 3), (2, 3, 4, 5), (2, 1, 70)):
            weight, bias = _tensor(dtype, shape[1]), _tensor(dtype, shape[1])
            calls.append([_tensor(dtype, *shape), weight, bias, None, None, True, 0.1, 1e-5])
    return _by_twin(row, *calls)


def _pixel(row: Row) -> list[Sample]:
    # Without elements PyTorch returns its operand as it is.
    shapes = [(4, 2, 2), (2, 8, 3, 4), (1, 2, 18, 6, 6)]
    return [
        s
        for dtype in DTYPES
        for shape in shapes
        for factor in (1, 2, 3)
        for s in _by_twin(row, [_tensor(dtype, *shape), factor])
        if s.error is None or dtype == torch.float32
    ]


def _stored_index_put(row: Row) -> list[Sample]:
    calls = []
    for dtype in DTYPES:
        mask = torch.tensor([True, False, True])
        calls += [
            [_tensor(dtype, 4, 3), [torch.tensor([0, 3, 1])], _tensor(dtype, 3), False],
            [_tensor(dtype, 4, 3), [None, torch.tensor([-1, 0])], _tensor(dtype, 4, 2), False],
            [_tensor(dtype, 2, 4, 8), [None, None, torch.tensor([5])], _tensor(dtype, 2, 4, 1), False],
            [_tensor(dtype, 3, 2), [mask], _tensor(dtype), False],
            [_tensor(dtype, 4), [torch.tensor([1, 1, 2])], _tensor(dtype, 3), True],
        ]
    return _by_twin(row, *calls)


def _embedding_bags(row: Row) -> list[Sample]:
    calls = []
    for dtype in FLOATS:
        table = _tensor(dtype, 10, 3)
        for indices_type in (torch.int64, torch.int32):
            indices = torch.tensor([1, 2, 4, 5, 4, 0], dtype=indices_type)
            offsets = torch.tensor([0, 2, 2, 5], dtype=indices_type)
            for mode in (0, 1, 2):
                calls.append([table, indices, offsets, False, mode, False, None, False, -1])
                ends = torch.tensor([0, 2, 2, 6], dtype=indices_type)
                calls.append([table, indices, ends, False, mode, False, None, True, -1])
                calls.append([table, indices, offsets, False, mode, False, None, False, 4])
            calls.append([table, indices, offsets, False, 0, False, _tensor(dtype, 6), False, -1])
        empty = torch.empty(0, dtype=torch.int64)
        calls.append([table, empty, torch.tensor([0, 0]), False, 1, False, None, False, 1])
    bad = torch.tensor([1, 10])
    return _by_twin(row, *calls, [_tensor(torch.float32, 10, 3), bad, torch.tensor([0]), False, 1, False, None, False, -1])


def _embedding_gradients(row: Row) -> list[Sample]:
    indices = torch.tensor([[1, 2, 4], [4, 4, 0]])
    calls = [
        [_tensor(dtype, 2, 3, 5), indices, 6, padding, by_frequency]
        for dtype in (torch.float32, torch.float64)
        for padding in (-1, 4)
        for by_frequency in (False, True)
    ]
    return _by_twin(row, *calls)


# Creation and random numbers


def _shape_is(shape: list[int]):
    def check(results) -> str | None:
        found = [list(result.shape) for result in results]
        return None if found == [shape] else f"shape {found[0]}, expected {shape}"

    return check


def _empty(row: Row) -> list[Sample]:
    samples = []
    for shape in ([], [0], [2, 3], [1, 2, 3, 4]):
        inputs = [shape, None]
        samples += [
            Sample(row, inputs, [torch.empty(shape, dtype=dtype)], check=_shape_is(shape)) for dtype in DTYPES
        ]
    return samples


def _distribution(uniform: bool, count: int):
    mean, deviation = (0.5, math.sqrt(1 / 12)) if uniform else (0.0, 1.0)

    def check(results) -> str | None:
        values = results[0].double().flatten()
        if uniform and not ((values >= 0) & (values < 1)).all():
            return f"values outside of [0, 1): {values.min().item()} to {values.max().item()}"
        if abs(values.mean().item() - mean) > 6 * deviation / math.sqrt(count):
            return f"mean {values.mean().item()} of {count} values, expected {mean}"
        if abs(values.std().item() / deviation - 1) > 6 / math.sqrt(count):
            return f"standard deviation {values.std().item()} of {count} values, expected {deviation}"
        if values.unique().numel() < min(count, 500) * 0.1:
            return f"only {values.unique().numel()} different values of {count}"
        return None

    return check


def _random(row: Row) -> list[Sample]:
    samples = []
    for dtype in FLOATS:
        shape = [40, 50, 20]
        check = _distribution(row.base == "rand", math.prod(shape))
        samples.append(Sample(row, [shape], [torch.empty(shape, dtype=dtype)], check=check, seed=7))
        samples.append(Sample(row, [[0, 3]], [torch.empty([0, 3], dtype=dtype)], check=_shape_is([0, 3]), seed=7))
    return samples


def _moments(mean: float, deviation: float, low: float, high: float, count: int):
    """Judges draws by their range, mean and standard deviation."""

    def check(results) -> str | None:
        values = results[0].double().flatten()
        if not ((values >= low) & (values <= high)).all():
            return f"values outside of [{low}, {high}]: {values.min().item()} to {values.max().item()}"
        if abs(values.mean().item() - mean) > 6 * deviation / math.sqrt(count):
            return f"mean {values.mean().item()} of {count} values, expected {mean}"
        if abs(values.std().item() / deviation - 1) > 20 / math.sqrt(count):
            return f"standard deviation {values.std().item()} of {count} values, expected {deviation}"
        return None

    return check


_DRAWN = [40, 50, 20]  # shape of draws


def _draws(row: Row, inputs: list, out_dtypes: list, moments: tuple) -> list[Sample]:
    check = _moments(*moments, math.prod(_DRAWN))
    return [Sample(row, inputs, [torch.empty(_DRAWN, dtype=dtype)], check=check, seed=11) for dtype in out_dtypes]


def _refused_draw(row: Row, inputs: list, why: str) -> Sample:
    return Sample(row, inputs, [torch.empty(_DRAWN)], error=why, kind="error")


def _endless_triangle(row: Row) -> list[Sample]:
    """More elements than a dimension can have, and than 32 bits count."""
    offset = 0 if row.base == "tril_indices" else -(2**31)
    return [Sample(row, [2**31 - 1, columns, offset], [torch.empty(2, 4, dtype=torch.int64)], error="too many", kind="error")
            for columns in (4, 21)]  # fmt: skip


def _random_like(row: Row) -> list[Sample]:
    samples = []
    for dtype in FLOATS:
        check = _distribution(row.base == "rand_like", math.prod(_DRAWN))
        samples.append(Sample(row, [_tensor(dtype, *_DRAWN), None], [torch.empty(_DRAWN, dtype=dtype)], check=check, seed=7))
    return samples


def _whole_numbers(row: Row) -> list[Sample]:
    samples = []
    for low, high in ((0, 2), (0, 100)) if row.name.split(".")[1] == "out" else ((-7, 30), (3, 4), (0, 11)):
        count, limits = high - low, [high] if row.name.split(".")[1] == "out" else [low, high]
        inputs = [*limits, _DRAWN] if row.base == "randint" else [_tensor(torch.float32, *_DRAWN), *limits, None]
        dtypes = [t for t in REALS if t != torch.bool and not (low < 0 and t == torch.uint8)]
        dtypes += [torch.bool] if (low, high) == (0, 2) else []
        if count == 1:
            check = lambda results: None if (results[0] == 3).all() else "numbers other than the only one"  # noqa: E731
            samples.append(Sample(row, inputs, [torch.empty(_DRAWN, dtype=torch.int64)], check=check, seed=5))
        else:
            moments = ((low + high - 1) / 2, math.sqrt((count * count - 1) / 12), low, high - 1)
            samples += _draws(row, inputs, dtypes, moments)
    inputs = [0, _DRAWN] if row.name == "aten::randint.out" else None
    return samples + ([_refused_draw(row, inputs, "no number is below 0")] if inputs else [])


def _permutation(row: Row) -> list[Sample]:
    def is_permutation(n):
        def check(results):
            right = torch.equal(results[0].long().sort().values, torch.arange(n))
            return None if right and (n < 20 or not torch.equal(results[0].long(), torch.arange(n))) else "no permutation"

        return check

    samples = [
        Sample(row, [n], [torch.empty(n, dtype=dtype)], check=is_permutation(n), seed=3)
        for n in (0, 1, 100)
        for dtype in REALS
        if dtype != torch.bool
    ]
    return samples + [Sample(row, [-1], [torch.empty(0, dtype=torch.int64)], error="negative", kind="error")]


_DISTRIBUTIONS = {
    "uniform": [([-2.0, 4.0], (1.0, math.sqrt(3), -2.0, 4.0))],
    "exponential": [([2.0], (0.5, 0.5, 0.0, math.inf))],
    "geometric": [([0.25], (4.0, math.sqrt(12), 1.0, math.inf))],
    "log_normal": [([0.5, 0.25], (math.exp(0.53125), math.exp(0.53125) * math.sqrt(math.expm1(0.0625)), 0.0, math.inf))],
}
_NOT_ALLOWED = {"uniform": [1.0, 0.0], "exponential": [-1.0], "geometric": [1.5], "log_normal": [0.0, -1.0], "cauchy": [0.0, -1.0]}


def _drawn_from(row: Row) -> list[Sample]:
    x = _tensor(torch.float32, *_DRAWN)
    samples = [_refused_draw(row, [x, *_NOT_ALLOWED[row.base], None], "no such distribution")]
    for parameters, moments in _DISTRIBUTIONS[row.base]:
        samples += _draws(row, [x, *parameters, None], FLOATS, moments)
        if row.base == "geometric":
            samples += _draws(row, [x, *parameters, None], _WHOLE, moments)
    return samples


def _cauchy(row: Row) -> list[Sample]:
    def check(results):
        # It has no moments: half of the values lie within sigma of the median.
        near = ((results[0].double() - 3).abs() < 2).double().mean().item()
        return None if abs(near - 0.5) < 0.02 else f"{near} of the values are near the median"

    x = _tensor(torch.float32, *_DRAWN)
    outs = [torch.empty(_DRAWN, dtype=dtype) for dtype in FLOATS]
    samples = [Sample(row, [x, 3.0, 2.0, None], [out], check=check, seed=2) for out in outs]
    return samples + [_refused_draw(row, [x, *_NOT_ALLOWED["cauchy"], None], "no such distribution")]


def _normal(row: Row) -> list[Sample]:
    mean, std = torch.full(_DRAWN, 3.0), torch.full(_DRAWN[1:], 0.5)
    inputs = {
        "out": [mean, 3.0, 0.5, None],
        "float_float_out": [3.0, 0.5, _DRAWN, None],
        "Tensor_float_out": [mean, 0.5, None],
        "float_Tensor_out": [3.0, torch.full(_DRAWN, 0.5), None],
        "Tensor_Tensor_out": [mean, std, None],
    }[row.name.split(".")[1]]
    return _draws(row, inputs, FLOATS, (3.0, 0.5, -math.inf, math.inf))


def _bernoulli(row: Row) -> list[Sample]:
    inputs = {
        "out": [torch.full(_DRAWN, 0.3), None],
        "float_out": [torch.empty(_DRAWN), 0.3, None],
        "Tensor_out": [torch.empty(_DRAWN), torch.full(_DRAWN, 0.3), None],
    }[row.name.split(".")[1]]
    bad = [2.0 if isinstance(v, float) else torch.full(_DRAWN, 2.0) if isinstance(v, torch.Tensor) else v for v in inputs]
    samples = _draws(row, inputs, REALS, (0.3, math.sqrt(0.21), 0.0, 1.0))
    return samples + [_refused_draw(row, bad, "2 is no probability")]


def _multinomial(row: Row) -> list[Sample]:
    weights = torch.tensor([[1.0, 0.0, 3.0], [5.0, 0.0, 0.0]])

    def with_replacement(results):
        first, second = results[0]
        share = (first == 2).double().mean().item()
        right = abs(share - 0.75) < 0.05 and not (first == 1).any() and (second == 0).all()
        return None if right else f"shares that the weights do not have: {share}"

    def without_replacement(results):
        return None if sorted(results[0].tolist()) == [0, 2, 3] else f"drew {results[0].tolist()}"

    line = torch.tensor([1.0, 0.0, 2.0, 4.0])
    drawn = [torch.empty(2, 2000, dtype=torch.int64)]
    by_type = [Sample(row, [weights.to(t), 2000, True, None], drawn, check=with_replacement, seed=1) for t in FLOATS]
    return by_type + [
        Sample(row, [line, 3, False, None], [torch.empty(3, dtype=torch.int64)], check=without_replacement, seed=1),
        Sample(row, [line, 4, False, None], [torch.empty(4, dtype=torch.int64)], error="three have a weight", kind="error"),
        Sample(row, [-line, 1, True, None], [torch.empty(1, dtype=torch.int64)], error="negative weights", kind="error"),
    ]


def _empty_strided(row: Row) -> list[Sample]:
    samples = []
    for shape in ([], [0], [2, 3], [1, 2, 3, 4]):
        layout = list(range(len(shape))) if row.base == "empty_permuted" else list(torch.empty(shape).stride())
        for dtype in DTYPES:
            inputs = [*([_tensor(dtype, 2)] if row.base == "new_empty_strided" else []), shape, layout]
            samples.append(Sample(row, inputs, [torch.empty(shape, dtype=dtype)], check=_shape_is(shape)))
    return samples


def _dropout_check(x: torch.Tensor, p: float):
    def check(results) -> str | None:
        values, mask = results
        kept = mask.double().mean().item()
        if abs(kept - (1 - p)) > 6 * math.sqrt(p * (1 - p) / x.numel()) + 1e-9:
            return f"{kept:.4f} of the values are kept with p = {p}"
        expected = torch.where(mask, x / (1 - p), torch.zeros_like(x)) if p < 1 else torch.zeros_like(x)
        right = torch.isclose(values.double(), expected.double(), rtol=1e-2)
        return None if right.all() else "values are not the kept ones divided by 1 - p"

    return check


def _dropout(row: Row) -> list[Sample]:
    samples = []
    for dtype in FLOATS:
        x = _tensor(dtype, 60, 70)
        outs = [torch.empty_like(x), torch.empty(x.shape, dtype=torch.bool)]
        for p in (0.0, 0.3, 1.0):
            samples.append(Sample(row, [x, p, True], outs, check=_dropout_check(x, p), seed=3))
        samples.append(Sample(row, [x, 0.3, False], [x.clone(), torch.ones(x.shape, dtype=torch.bool)]))
    return samples


# Dim order


def _dim_orders(shape) -> list[list[int]]:
    """Natural and channels-last order; a tensor without elements lies in natural order for the Python call."""
    rank = len(shape)
    orders = [list(range(rank))]
    if rank in (4, 5) and 0 not in shape:
        orders.append([0, *range(2, rank), 1])
    return orders


def _convert_layout(row: Row) -> list[Sample]:
    changes_type = row.base == "_to_dim_order_copy"
    samples = []
    for dtype in DTYPES:
        for to in DTYPES if changes_type else [dtype]:
            if dtype.is_complex != to.is_complex:
                continue
            for shape in ((), (3,), (2, 3), (2, 3, 4, 5), (0, 3, 2, 2), (1, 2, 2, 3, 2)):
                for before in _dim_orders(shape):
                    for after in _dim_orders(shape):
                        x = with_layout(_tensor(dtype, *shape), before)
                        expected = with_layout(x.to(to), after)
                        samples.append(Sample(row, [x, False, after], [expected]))
            x = with_layout(_tensor(dtype, 2, 3, 4, 5), [0, 2, 3, 1])
            samples.append(Sample(row, [x, False, None], [x.to(to)]))
    x = _tensor(torch.float32, 2, 3, 4, 5)
    for order in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 7], [0, 1, 2, -1], []):
        samples.append(Sample(row, [x, False, order], [x], error=f"{order} is no dim order of 4 dimensions", kind="error"))
    return samples


def _empty_dim_order(row: Row) -> list[Sample]:
    samples = []
    for dtype in DTYPES:
        for shape in ([], [0], [2, 3], [1, 2, 3, 4]):
            for order in [*_dim_orders(shape), None]:
                out = with_layout(torch.empty(shape, dtype=dtype), order or list(range(len(shape))))
                samples.append(Sample(row, [shape, order], [out], check=_shape_is(shape)))
    return samples


def _device_copy(row: Row) -> list[Sample]:
    x = _tensor(torch.float32, 2, 3)
    return [Sample(row, [x], [x], error="no tensor lies on a device here", kind="error")]


# Numbers


def _number_samples(row: Row, calls: list[tuple], function) -> list[Sample]:
    return [Sample(row, list(call), returned=function(*call)) for call in calls]


_NUMBERS = [(a, b) for a in (7, -7, 0, 3.5, -2.25, True) for b in (3, -2, 1.5, -0.5)]
_INTEGERS = [(a, b) for a in (7, -7, 0, 2**40) for b in (3, -2, 1)]
_FLOATS = [(a,) for a in (2.5, -2.5, 0.5, 1.5, -0.2, 1e10)]
_SINGLE = [(a,) for a in (0, 5, -5, 2.5, -2.5, 0.5, 1.5, -0.2, 1e10)]
_NO_BOOL = [(a, b) for a, b in _NUMBERS if not isinstance(a, bool)]

_NUMBER_OPERATORS = {
    "add.Scalar": (_NO_BOOL, lambda a, b: a + b),
    "sub.Scalar": (_NO_BOOL, lambda a, b: a - b),
    "mul.Scalar": (_NO_BOOL, lambda a, b: a * b),
    "floordiv.Scalar": (_INTEGERS, lambda a, b: a // b),
    "floordiv.int": (_INTEGERS, lambda a, b: a // b),
    "mod.Scalar": (_INTEGERS, lambda a, b: a % b),
    "mod.int": (_INTEGERS, lambda a, b: a % b),
    "truediv.Scalar": (_NO_BOOL, lambda a, b: a / b),
    "neg.Scalar": (_SINGLE, lambda a: -a),
    "ceil.Scalar": (_FLOATS, math.ceil),
    "round.Scalar": (_FLOATS, round),
    "trunc.Scalar": (_FLOATS, math.trunc),
    "sym_float.Scalar": (_SINGLE, float),
    "sym_int.Scalar": (_SINGLE, int),
    "sym_max.Scalar": (_INTEGERS, max),
    "sym_min.Scalar": (_INTEGERS, min),
    "sym_not.Scalar": ([(True,), (False,)], lambda a: not a),
    "sym_ite.Scalar": ([(True, 3, 4), (False, 3, 4), (True, 2.5, 1.5)], lambda c, a, b: a if c else b),
    "eq.Scalar": (_NO_BOOL + [(3, 3), (2.0, 2.0)], lambda a, b: a == b),
    "ge.Scalar": (_NO_BOOL + [(3, 3)], lambda a, b: a >= b),
    "gt.Scalar": (_NO_BOOL + [(3, 3)], lambda a, b: a > b),
    "le.Scalar": (_NO_BOOL + [(3, 3)], lambda a, b: a <= b),
    "lt.Scalar": (_NO_BOOL + [(3, 3)], lambda a, b: a < b),
}


def _copy_index(row: Row) -> list[Sample]:
    samples = []
    for dtype in DTYPES:
        for index in (0, 2):
            rows, source = _tensor(dtype, 4, 2, 3), _tensor(dtype, 2, 3)
            # The list grows row by row: its final outermost size is the index plus one.
            expected = torch.cat([rows[:index], source[None]])
            samples.append(Sample(row, [rows, source, index], [expected]))
    x = _tensor(torch.float32, 4, 2)
    for index in (-1, 4, 2**40):
        samples.append(Sample(row, [x, x[0], index], [x], error=f"row {index} of 4", kind="error"))
    return samples


def _sizes(row: Row) -> list[Sample]:
    shapes = [(), (0,), (3,), (2, 5, 4)]
    if row.base == "sym_numel":
        return [Sample(row, [_tensor(t, *s)], returned=math.prod(s)) for t in DTYPES for s in shapes]
    samples = []
    for shape in shapes:
        for dim in range(-len(shape), len(shape)):
            samples.append(Sample(row, [_tensor(torch.float32, *shape), dim], returned=shape[dim]))
        error = "the dimension does not exist"
        samples.append(Sample(row, [_tensor(torch.float32, *shape), len(shape)], error=error, kind="error"))
    return samples


def _item(row: Row) -> list[Sample]:
    samples = []
    for dtype in REALS:
        for shape in ((), (1,), (1, 1)):
            x = _tensor(dtype, *shape)
            samples.append(Sample(row, [x], returned=x.item()))
    return samples + [Sample(row, [_tensor(torch.float32, 0)], error="the tensor has no element", kind="error")]


_MAKERS = {
    "aten::copy.out": _copy,
    "aten::copy_": _copy,
    "aten::mm.out": _few_rows,
    "aten::linear.out": _few_rows,
    "aten::addmm.out": _few_rows,
    "aten::detach_copy.out": _detach,
    "aten::lift_fresh_copy.out": _detach,
    "aten::_conj_physical.out": _conjugate,
    "aten::_native_batch_norm_legit_no_training.out": _batch_norm,
    "aten::_batch_norm_no_update.out": _batch_norm,
    "aten::native_batch_norm.out": _batch_norm_of_batch,
    "aten::fill.Tensor_out": _fill,
    "aten::pixel_shuffle.out": _pixel,
    "aten::pixel_unshuffle.out": _pixel,
    "aten::index_put_": _stored_index_put,
    "aten::_embedding_bag.out": _embedding_bags,
    "aten::_embedding_bag_forward_only.out": _embedding_bags,
    "aten::embedding_dense_backward.out": _embedding_gradients,
    "aten::empty.out": _empty,
    "aten::empty.memory_format_out": _empty,
    "aten::rand.out": _random,
    "aten::randn.out": _random,
    "aten::native_dropout.out": _dropout,
    "aten::rand_like.out": _random_like,
    "aten::randn_like.out": _random_like,
    "aten::randint.out": _whole_numbers,
    "aten::randint.low_out": _whole_numbers,
    "aten::randint_like.out": _whole_numbers,
    "aten::randint_like.low_dtype_out": _whole_numbers,
    "aten::randperm.out": _permutation,
    "aten::uniform.out": _drawn_from,
    "aten::exponential.out": _drawn_from,
    "aten::geometric.out": _drawn_from,
    "aten::log_normal.out": _drawn_from,
    "aten::cauchy.out": _cauchy,
    "aten::normal.out": _normal,
    "aten::normal.float_float_out": _normal,
    "aten::normal.Tensor_float_out": _normal,
    "aten::normal.float_Tensor_out": _normal,
    "aten::normal.Tensor_Tensor_out": _normal,
    "aten::bernoulli.out": _bernoulli,
    "aten::bernoulli.float_out": _bernoulli,
    "aten::bernoulli.Tensor_out": _bernoulli,
    "aten::multinomial.out": _multinomial,
    "aten::empty_strided.out": _empty_strided,
    "aten::empty_permuted.out": _empty_strided,
    "aten::new_empty_strided.out": _empty_strided,
    "aten::tril_indices.out": _endless_triangle,
    "aten::triu_indices.out": _endless_triangle,
    "aten::sym_numel": _sizes,
    "aten::sym_size.int": _sizes,
    "aten::_local_scalar_dense": _item,
    "dim_order_ops::_clone_dim_order.out": _convert_layout,
    "dim_order_ops::_to_dim_order_copy.out": _convert_layout,
    "dim_order_ops::_empty_dim_order.out": _empty_dim_order,
    "et_copy::_d2h_copy.out": _device_copy,
    "et_copy::_h2d_copy.out": _device_copy,
    "executorch_prim::et_copy_index.tensor": _copy_index,
}


_CALLS = {**gradients.CALLS, **images.CALLS}


def samples_of(row: Row) -> list[Sample]:
    opt_in = quantized_samples.MAKERS.get(row.name) or llm_samples.MAKERS.get(row.name)
    if opt_in is not None:
        samples = opt_in(row, _by_twin)
    elif row.name in _MAKERS:
        samples = _MAKERS[row.name](row)
    elif row.name in _CALLS:
        samples = _by_twin(row, *_CALLS[row.name]())
    elif row.namespace == "executorch_prim" and row.name.split("::")[1] in _NUMBER_OPERATORS:
        samples = _number_samples(row, *_NUMBER_OPERATORS[row.name.split("::")[1]])
    else:
        return []
    random.Random(0).shuffle(samples)
    return samples
