"""Values of the CUDA shims against PyTorch: the kernels' bodies are compiled for the host, and run over a fake CUDA runtime."""

import ctypes
import math

import numpy as np
import pytest
import torch

import shims_on_host as shims
from shims_on_host import Handle, ShimError, borrow, call, numbers

I64 = ctypes.c_int64


@pytest.fixture(autouse=True)
def no_leaks():
    before = shims.live()
    yield
    assert shims.live() == before


def rand(sizes, dtype) -> torch.Tensor:
    result, number = Handle(), ctypes.c_int32(shims.NUMBERS[dtype])
    call("cuda_rand", numbers(sizes), I64(len(sizes)), ctypes.byref(number), None, None, -1, None, result.out)
    return result.torch()


@pytest.mark.parametrize("dtype, steps", [(torch.float32, 2**24), (torch.bfloat16, 2**8)])
def test_rand(dtype, steps):
    drawn = rand([101, 999], dtype)
    assert drawn.shape == (101, 999) and drawn.dtype == dtype
    values = drawn.double()
    assert 0 <= values.min() and values.max() < 1 and torch.equal(values * steps, (values * steps).round())
    count, offset = values.numel(), 0.5 / steps
    assert abs(values.mean() + offset - 0.5) < 5 * math.sqrt(1 / 12 / count)
    assert abs(((values - 0.5) ** 2).mean() - 1 / 12) < 0.01
    again = rand([101, 999], dtype).double()
    assert abs(torch.corrcoef(torch.stack([values.flatten(), again.flatten()]))[0, 1]) < 5 / math.sqrt(count)
    assert abs(torch.corrcoef(torch.stack([values.flatten()[:-1], values.flatten()[1:]]))[0, 1]) < 5 / math.sqrt(count)
    assert rand([0, 3], dtype).numel() == 0 and rand([], dtype).numel() == 1
    assert 5 == len(rand([5], dtype))


def test_rand_of_other_types_is_refused():
    with pytest.raises(ShimError):
        rand([2], torch.int32)


def randint(low, high, sizes) -> torch.Tensor:
    out = torch.full(sizes, -77, dtype=torch.int64)
    call("cuda_randint_low_out", borrow(out), I64(low), I64(high), numbers(sizes), I64(len(sizes)))
    return out


@pytest.mark.parametrize("low, high", [(0, 10), (-3, 4), (5, 6), (-(2**63), 2**63 - 1), (2**62, 2**62 + 1000)])
def test_randint(low, high):
    drawn = randint(low, high, [10007])
    assert low <= drawn.min() and drawn.max() < high
    span = high - low
    if span <= 10:
        counts = torch.bincount(drawn - low, minlength=span).double()
        assert (counts - 10007 / span).abs().max() < 5 * math.sqrt(10007 / span)
    mean = float(np.mean((drawn.numpy().astype(object) - low).astype(float)))
    assert abs(mean - (span - 1) / 2) <= 5 * span / math.sqrt(12 * 10007)


def test_randint_refuses():
    for arguments in [(3, 3, [4]), (4, 3, [4])]:
        with pytest.raises(ShimError):
            randint(*arguments)
    out = torch.zeros(4, dtype=torch.int64)
    with pytest.raises(ShimError):
        call("cuda_randint_low_out", borrow(out), I64(0), I64(9), numbers([5]), I64(1))
    with pytest.raises(ShimError):
        call("cuda_randint_low_out", borrow(out.int()), I64(0), I64(9), numbers([4]), I64(1))


def sort(tensor, dim, descending):
    values, places = Handle(), Handle()
    stable = ctypes.c_int32(1)
    call("cuda_sort_stable", borrow(tensor), ctypes.byref(stable), I64(dim), int(descending), values.out, places.out)
    return values.torch(), places.torch()


SORTS = [((1000,), 0), ((7, 64, 3), 1), ((5, 65), -1), ((129, 2), 0), ((2, 257, 2), -2), ((1, 1), 1), ((), 0), ((0, 4), 0), ((3, 0), 1)]


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("sizes, dim", SORTS)
@pytest.mark.parametrize("descending", [False, True])
def test_sort(dtype, sizes, dim, descending):
    generator = torch.Generator().manual_seed(len(sizes))
    tensor = torch.randint(-20, 20, sizes, generator=generator).to(dtype)
    if dtype.is_floating_point and tensor.numel() > 10:
        flat = tensor.view(-1)
        for place, value in enumerate([math.nan, math.inf, -math.inf, -0.0, 0.0, math.nan]):
            flat[place * 7 % tensor.numel()] = value
    if dtype == torch.int64 and tensor.numel() > 10:
        tensor.view(-1)[:4] = torch.tensor([2**63 - 1, -(2**63), 2**53 + 1, 2**53])
    values, places = sort(tensor, dim, descending)
    expected = torch.sort(tensor, stable=True, dim=dim, descending=descending)
    assert torch.equal(places, expected.indices)
    assert torch.equal(values.nan_to_num(7e3), expected.values.nan_to_num(7e3)) and values.dtype == dtype


def test_sort_of_many():
    tensor = torch.randn(70_000, generator=torch.Generator().manual_seed(3)).half()
    values, places = sort(tensor, 0, True)
    expected = torch.sort(tensor, stable=True, descending=True)
    assert torch.equal(values, expected.values) and torch.equal(places, expected.indices)


def test_sort_refuses():
    for tensor, dim in [(torch.zeros(3, 4).t(), 0), (torch.zeros(3, dtype=torch.int8), 0), (torch.zeros(3), 1), (torch.zeros(3), -2)]:
        with pytest.raises(ShimError):
            sort(tensor, dim, False)


# Quantised products. Packing is written here after the description of the layouts, one weight at a time.

GENERATOR = torch.Generator().manual_seed(11)


def integers(low, high, *sizes):
    return torch.randint(low, high, sizes, generator=GENERATOR)


def nibbles(low):
    return (low[:, 0::2] | low[:, 1::2] << 4).to(torch.uint8).contiguous()


def pack_high(high, bits):
    """Planes of the upper bits: of each 8 weights 4 even and 4 odd fields."""
    rows, k = high.shape
    words = high.reshape(rows, k // 8, 4, 2)
    shifts = torch.arange(4) * bits
    even, odd = (words[..., 0] << shifts).sum(-1), (words[..., 1] << shifts).sum(-1)
    if bits == 1:
        return (even | odd << 4).to(torch.uint8).contiguous()
    chunks = torch.cat([even.reshape(rows, k // 32, 4), odd.reshape(rows, k // 32, 4)], -1)
    return chunks.reshape(rows, k // 4).to(torch.uint8).contiguous()


def spread(codes, k):
    return codes.double().repeat_interleave(k // codes.shape[1], 1)


def two_levels(rows, k, group, signed=False):
    codes = integers(-127, 128, rows, k // group).to(torch.int8) if signed else integers(0, 256, rows, k // group).to(torch.uint8)
    steps = (torch.rand(rows, k // 256, generator=GENERATOR) / 100 + 1e-3).half()
    return codes, steps, spread(codes, k) * spread(steps, k)


def make_weights(bits, rows, k, group):
    """Arguments of the shim behind the activations, and the weights as numbers."""
    if bits == 8:
        q, zero = integers(-128, 128, rows, k).to(torch.int8), integers(-128, 128, rows, k // group).to(torch.int8)
        scale = (torch.rand(rows, k // group, generator=GENERATOR) + 0.1).bfloat16()
        return [q, scale, zero], (q.double() - spread(zero, k)) * spread(scale, k)
    q = integers(0, 2**bits, rows, k)
    planes = [nibbles(q & 15)] + ([pack_high(q >> 4, bits - 4)] if bits > 4 else [])
    codes, steps, scale = two_levels(rows, k, group, signed=bits == 6)
    if bits == 6:
        return [*planes, codes, steps], (q - 32) * scale
    zero_codes, zero_steps, zero = two_levels(rows, k, group)
    return [*planes, codes, steps, zero_codes, zero_steps], (q - zero) * scale


def quantized(x):
    """The activations as the operator sees them: 32 to a scale, in signed bytes."""
    blocks = x.double().reshape(x.shape[0], -1, 32)
    largest = blocks.abs().amax(-1, keepdim=True).float()
    # A number divided by a tensor is its product with the reciprocal in PyTorch, which rounds twice.
    scale, inverse = (largest / 127).double(), torch.where(largest > 0, torch.full_like(largest, 127) / largest, 0)
    return ((blocks.float() * inverse).round().double() * scale).reshape(x.shape)


def plain_mm(bits, x, arguments, group):
    result = Handle()
    handles = [borrow(argument) for argument in arguments]
    call(f"cuda_int{bits}_plain_mm", borrow(x), *handles, I64(group), result.out)
    return result.torch()


@pytest.mark.parametrize("bits, group", [(4, 32), (4, 256), (5, 32), (5, 16), (6, 16), (6, 64), (8, 32), (8, 128), (8, 16)])
@pytest.mark.parametrize("m, n, k", [(1, 9, 256), (4, 5, 512), (6, 3, 1280), (0, 4, 256), (2, 0, 256)])
def test_plain_mm(bits, group, m, n, k):
    if k % group:
        k = k // group * group
    x = torch.randn(m, k, generator=GENERATOR).bfloat16()
    arguments, weights = make_weights(bits, n, k, group)
    found = plain_mm(bits, x, arguments, group)
    assert found.dtype == torch.bfloat16 and found.shape == (m, n)
    if found.numel() == 0:
        return
    exact = quantized(x) @ weights.T
    magnitude = quantized(x).abs() @ weights.abs().T
    assert ((found.double() - exact).abs() <= exact.abs() * 2**-8 + magnitude * 2**-18).all()
    # Quantising the activations costs at most half a step of each.
    true = x.double() @ weights.T
    assert torch.linalg.norm(found.double() - true) < 0.02 * torch.linalg.norm(magnitude)


def test_plain_mm_of_strided_activations():
    x = torch.randn(256, 3, generator=GENERATOR).bfloat16().t()
    arguments, _ = make_weights(4, 5, 256, 32)
    assert torch.equal(plain_mm(4, x, arguments, 32), plain_mm(4, x.contiguous(), arguments, 32))


def test_plain_mm_keeps_what_is_not_finite():
    arguments, _ = make_weights(8, 3, 64, 32)
    x = torch.zeros(3, 64).bfloat16()
    x[1, 5], x[2, 7] = math.nan, math.inf
    found = plain_mm(8, x, arguments, 32)
    assert torch.equal(found[0], torch.zeros(3).bfloat16()) and not torch.isfinite(found[1:]).any()


def test_plain_mm_refuses():
    x = torch.zeros(2, 256).bfloat16()
    for bits, group in [(4, 32), (5, 32), (6, 16), (8, 32)]:
        arguments, _ = make_weights(bits, 4, 256, group)
        for wrong in (0, -1, 24, 512):
            with pytest.raises(ShimError):
                plain_mm(bits, x, arguments, wrong)
        for bad in (x.float(), x[:, :128].contiguous(), x[0], torch.zeros(2, 0).bfloat16()):
            with pytest.raises(ShimError):
                plain_mm(bits, bad, arguments, group)
        for place, argument in enumerate(arguments):
            for change in (argument[:, :-1].contiguous(), argument.double().to(torch.int32), argument.t()):
                with pytest.raises(ShimError):
                    plain_mm(bits, x, [*arguments[:place], change, *arguments[place + 1 :]], group)


def pack_tiles(q, inner):
    """4-bit weights [n, k] in PyTorch's tile layout for tensor cores."""
    n, k = q.shape
    packed = torch.zeros(n // 8, k // (16 * inner), 32, inner // 2, dtype=torch.int64)
    columns = [0, 1, 8, 9, 16, 17, 24, 25]
    for lane in range(32):
        for word in range(inner // 2):
            for position, column in enumerate(columns):
                shift = 4 * (position // 2) + 16 * (position % 2)
                start = word * 32 + lane % 4 * 2 + column
                packed[:, :, lane, word] |= q[lane // 4 :: 8, start :: 16 * inner] << shift
    return packed.to(torch.int32)


def int4pack_mm(x, packed, group, scale_zero):
    result = Handle()
    handles = [borrow(tensor) for tensor in (x, packed, scale_zero)]
    call("cuda__weight_int4pack_mm", handles[0], handles[1], I64(group), handles[2], result.out)
    return result.torch()


@pytest.mark.parametrize("inner", [2, 4, 8])
@pytest.mark.parametrize("group", [32, 64, 128, 256])
@pytest.mark.parametrize("m, n, k", [(1, 64, 256), (7, 64, 1024)])
def test_int4pack_mm_is_that_of_pytorch(inner, group, m, n, k):
    x = torch.randn(m, k, generator=GENERATOR).bfloat16()
    q = integers(0, 16, n, k)
    scale_zero = torch.rand(k // group, n, 2, generator=GENERATOR).bfloat16()
    found = int4pack_mm(x, pack_tiles(q, inner), group, scale_zero)
    packed = torch.ops.aten._convert_weight_to_int4pack_for_cpu(q.to(torch.int32), inner)
    expected = torch.ops.aten._weight_int4pack_mm_for_cpu(x, packed, group, scale_zero)
    weights = (q - 8) * spread(scale_zero[..., 0].T, k) + spread(scale_zero[..., 1].T, k)
    magnitude = x.double().abs() @ weights.abs().T
    exact = x.double() @ weights.T
    assert ((found.double() - exact).abs() <= exact.abs() * 2**-8 + magnitude * 2**-20).all()
    # PyTorch rounds the weights to bfloat16 on the CPU.
    assert ((found.double() - expected.double()).abs() <= magnitude * 2**-6).all()


def test_int4pack_mm_refuses():
    x, scale_zero = torch.zeros(2, 256).bfloat16(), torch.zeros(8, 16, 2).bfloat16()
    packed = pack_tiles(torch.zeros(16, 256, dtype=torch.int64), 4)
    int4pack_mm(x, packed, 32, scale_zero)
    for arguments in [(x, packed, 16, scale_zero), (x, packed, 64, scale_zero), (x.float(), packed, 32, scale_zero),
                      (x[:, :128], packed, 32, scale_zero), (x, packed[0], 32, scale_zero), (x, packed.long(), 32, scale_zero),
                      (x, packed.repeat(1, 1, 1, 2), 32, scale_zero), (x, packed, 32, scale_zero[:4])]:  # fmt: skip
        with pytest.raises(ShimError):
            int4pack_mm(*arguments)


# Tensors.

VIEWS = [torch.arange(24.0).reshape(2, 3, 4), torch.arange(24.0).reshape(2, 3, 4).permute(2, 0, 1), torch.arange(24.0).reshape(4, 6)[:, 1:5:2],
         torch.arange(3.0).expand(4, 3), torch.tensor(5.0), torch.zeros(0, 3), torch.arange(6, dtype=torch.int8)[::2]]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: str(tuple(view.stride())))
@pytest.mark.parametrize("device", [shims.CPU, shims.CUDA])
def test_clone(view, device):
    copy, kept = Handle(), Handle()
    source = borrow(view, device)
    call("clone", source, copy.out)
    call("clone_preserve_strides", source, kept.out)
    assert torch.equal(copy.torch(), view) and torch.equal(kept.torch(), view)
    assert copy.strides == list(view.clone().stride()) and kept.strides == list(view.stride())
    assert copy.number("device_type", ctypes.c_int32) == device


@pytest.mark.parametrize("view", [view for view in VIEWS if view.stride() != (0, 1)], ids=lambda view: str(tuple(view.stride())))
@pytest.mark.parametrize("target_device", [shims.CPU, shims.CUDA])
@pytest.mark.parametrize("source_device", [shims.CPU, shims.CUDA])
def test_copy(view, target_device, source_device):
    for strided in (False, True):
        room = torch.full((view.numel() * 3 + 1,), 99).to(view.dtype)
        target = room[: view.numel()].reshape(view.shape)
        if strided and view.dim() == 3:
            target = torch.as_strided(room, view.shape, [1, view.shape[0] + 1, (view.shape[0] + 1) * view.shape[1]])
        untouched = room.clone()
        call("copy_", borrow(target, target_device), borrow(view, source_device), 0)
        assert torch.equal(target, view)
        torch.as_strided(untouched, target.shape, target.stride()).copy_(view)
        assert torch.equal(room, untouched), "elements between those of the target keep their values"
    with pytest.raises(ShimError):
        call("copy_", borrow(torch.zeros(5, 5)), borrow(view, source_device), 0)


def test_item_bool():
    for value in (True, False):
        found = ctypes.c_bool(not value)
        call("item_bool", borrow(torch.tensor([[value]])), ctypes.byref(found))
        assert found.value is value
    with pytest.raises(ShimError):
        call("item_bool", borrow(torch.tensor([True, False])), ctypes.byref(found))
    with pytest.raises(ShimError):
        call("item_bool", borrow(torch.tensor([1])), ctypes.byref(found))


def test_current_device_and_stream():
    get = lambda: (call("get_current_cuda_stream", -1, ctypes.byref(stream)), stream.value)[1]
    stream, guard, inner, first = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), None
    first = get()
    assert first and get() == first
    call("create_cuda_guard", 1, ctypes.byref(guard))
    second = get()
    assert second != first and shims.empty([2]).number("device_index", ctypes.c_int32) == 1
    with pytest.raises(ShimError):
        call("create_cuda_stream_guard", None, 0, ctypes.byref(inner))
    with pytest.raises(ShimError):
        call("cuda_guard_set_index", guard, 9)
    call("create_cuda_stream_guard", ctypes.c_void_p(second), 0, ctypes.byref(inner))
    assert get() == second and shims.empty([2]).number("device_index", ctypes.c_int32) == 0
    call("delete_cuda_stream_guard", inner)
    call("cuda_guard_set_index", guard, 0)
    assert get() == first
    call("delete_cuda_guard", guard)
    assert get() == first
    for name in ("delete_cuda_guard", "delete_cuda_stream_guard"):
        with pytest.raises(ShimError):
            call(name, None)
