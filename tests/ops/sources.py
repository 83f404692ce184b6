"""Samples of a row: from PyTorch's operator database, and from handwritten.py."""

import itertools
import random
import warnings
import zlib

import torch

from ops import handwritten
from ops.recording import DTYPES, Sample, describe, record
from ops.rows import Row

# Entries of the database that call an operator under another name than its own.
_ENTRIES = {
    "_cdist_forward": ["cdist"],
    "_conj_copy": ["conj"],
    "_embedding_bag": ["nn.functional.embedding_bag"],
    "_embedding_bag_forward_only": ["nn.functional.embedding_bag"],
    "_fft_c2c": ["fft.fft", "fft.ifft", "fft.fft2", "fft.ifft2", "fft.fftn", "fft.ifftn"],
    "_fft_c2r": ["fft.irfft", "fft.irfft2", "fft.irfftn"],
    "_fft_r2c": ["fft.fft", "fft.rfft", "fft.rfft2", "fft.rfftn", "fft.ihfft", "fft.fftn"],
    "_pdist_forward": ["nn.functional.pdist"],
    "_adaptive_avg_pool2d": ["nn.functional.adaptive_avg_pool2d"],
    "_linalg_det": ["linalg.det"],
    "_linalg_slogdet": ["linalg.slogdet"],
    "_log_softmax": ["log_softmax"],
    "_softmax": ["softmax"],
    "_to_copy": ["to", "bool", "byte", "char", "short", "int", "long", "half", "bfloat16", "float", "double"],
    "_unique2": ["unique"],
    "_unsafe_view": ["matmul", "einsum"],
    "adaptive_avg_pool1d": ["nn.functional.adaptive_avg_pool1d"],
    "adaptive_avg_pool2d": ["nn.functional.adaptive_avg_pool2d"],
    "adaptive_avg_pool3d": ["nn.functional.adaptive_avg_pool3d"],
    "_adaptive_avg_pool3d": ["nn.functional.adaptive_avg_pool3d"],
    "adaptive_max_pool2d": ["nn.functional.adaptive_max_pool1d", "nn.functional.adaptive_max_pool2d"],
    "adaptive_max_pool3d": ["nn.functional.adaptive_max_pool3d"],
    "avg_pool1d": ["nn.functional.avg_pool1d"],
    "avg_pool2d": ["nn.functional.avg_pool2d"],
    "avg_pool3d": ["nn.functional.avg_pool3d"],
    "constant_pad_nd": ["constant_pad_nd", "nn.functional.pad"],
    "convolution": [f"nn.functional.conv{kind}{n}d" for n in (1, 2, 3) for kind in ("", "_transpose")],
    "elu": ["nn.functional.elu", "nn.functional.celu", "nn.functional.selu"],
    "embedding": ["nn.functional.embedding"],
    "gelu": ["nn.functional.gelu"],
    "glu": ["nn.functional.glu"],
    "grid_sampler_2d": ["nn.functional.grid_sample", "grid_sampler_2d"],
    "grid_sampler_3d": ["nn.functional.grid_sample", "grid_sampler_3d"],
    "hardtanh": ["nn.functional.hardtanh", "nn.functional.relu6"],
    "im2col": ["nn.functional.unfold"],
    "index": ["__getitem__", "_unsafe_masked_index"],
    "index_put": ["index_put"],
    "index_put_": ["index_put"],
    "leaky_relu": ["nn.functional.leaky_relu"],
    "linalg_cholesky_ex": ["linalg.cholesky_ex", "linalg.cholesky"],
    "linalg_inv_ex": ["linalg.inv_ex", "linalg.inv"],
    "linalg_lu_factor_ex": ["linalg.lu_factor_ex", "linalg.lu_factor"],
    "linalg_solve_triangular": ["linalg.solve_triangular"],
    "linalg_vector_norm": ["linalg.vector_norm", "norm", "linalg.norm"],
    "linear": ["nn.functional.linear"],
    "fractional_max_pool2d": ["nn.functional.fractional_max_pool2d"],
    "fractional_max_pool3d": ["nn.functional.fractional_max_pool3d"],
    "max_pool2d_with_indices": ["nn.functional.max_pool1d", "nn.functional.max_pool2d"],
    "max_pool3d_with_indices": ["nn.functional.max_pool3d"],
    "max_unpool2d": ["nn.functional.max_unpool1d", "nn.functional.max_unpool2d"],
    "max_unpool3d": ["nn.functional.max_unpool3d"],
    "narrow_copy": ["narrow_copy", "narrow"],
    "native_layer_norm": ["native_layer_norm", "nn.functional.layer_norm"],
    "native_group_norm": ["nn.functional.group_norm", "native_group_norm"],
    "pixel_shuffle": ["nn.functional.pixel_shuffle"],
    "pixel_unshuffle": ["nn.functional.pixel_unshuffle"],
    "reflection_pad1d": ["nn.functional.pad"],
    "reflection_pad2d": ["nn.functional.pad"],
    "reflection_pad3d": ["nn.functional.pad"],
    "replication_pad1d": ["nn.functional.pad"],
    "replication_pad2d": ["nn.functional.pad"],
    "replication_pad3d": ["nn.functional.pad"],
    "relu": ["nn.functional.relu", "relu"],
    "silu": ["nn.functional.silu"],
    "polygamma": ["polygamma", "special.polygamma"],
    "sub": ["sub", "rsub"],
    "upsample_bicubic2d": ["nn.functional.interpolate"],
    "upsample_bilinear2d": ["nn.functional.interpolate", "nn.functional.upsample_bilinear"],
    "upsample_linear1d": ["nn.functional.interpolate"],
    "upsample_nearest1d": ["nn.functional.interpolate", "nn.functional.upsample_nearest"],
    "upsample_nearest2d": ["nn.functional.interpolate", "nn.functional.upsample_nearest"],
    "upsample_nearest3d": ["nn.functional.interpolate", "nn.functional.upsample_nearest"],
    "upsample_trilinear3d": ["nn.functional.interpolate"],
    "_upsample_nearest_exact1d": ["nn.functional.interpolate"],
    "_upsample_nearest_exact2d": ["nn.functional.interpolate"],
    "_upsample_nearest_exact3d": ["nn.functional.interpolate"],
    "view_copy": ["view_copy", "view", "reshape"],
}


def database():
    from torch.testing._internal.common_methods_invocations import op_db

    return op_db


def entries_of(row: Row) -> list:
    """The entries of the database that may call the row's operator."""
    if not row.reproducible:
        return []
    plain = row.base.rstrip("_")
    names = {row.base, plain, plain.removesuffix("_copy"), plain.replace("special_", "special."), *_ENTRIES.get(row.base, [])}
    return [entry for entry in database() if entry.name in names or entry.aten_name in names]


def seed_everything(seed: int, *parts) -> random.Random:
    number = zlib.crc32(repr((seed, *parts)).encode())
    torch.manual_seed(number)
    return random.Random(number)


def _generate(entry, dtype, everything: bool):
    yield from entry.sample_inputs("cpu", dtype, requires_grad=False)
    if everything and entry.reference_inputs_func is not None:
        yield from entry.reference_inputs("cpu", dtype, requires_grad=False)


def _database_samples(row: Row, dtype, everything: bool) -> list[Sample]:
    samples = []
    for entry in entries_of(row):
        if dtype not in entry.supported_dtypes("cpu"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                for item in itertools.islice(_generate(entry, dtype, everything), 2000 if everything else 40):
                    samples += record([row], lambda: entry.op(item.input, *item.args, **item.kwargs))
            except (RuntimeError, ValueError, TypeError, NotImplementedError):
                continue  # the entry cannot make samples of this type
    return [sample for sample in samples if sample.error is None]


def _refused_samples(row: Row) -> list[Sample]:
    samples = []
    for entry in entries_of(row):
        if entry.error_inputs_func is None:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for item in entry.error_inputs("cpu"):
                call = item.sample_input
                samples += record([row], lambda: entry.op(call.input, *call.args, **call.kwargs))
    return [sample for sample in samples if sample.error is not None]


def _signature(sample: Sample) -> tuple:
    def shape(value):
        if isinstance(value, torch.Tensor):
            return (value.dtype, tuple(value.shape), value.stride())
        if isinstance(value, (list, tuple)):
            return tuple(map(shape, value))
        return repr(value)

    return tuple(map(shape, [*sample.inputs, *sample.expected]))


def _is_edge(sample: Sample) -> bool:
    text = describe(sample.inputs)
    return "[]" in text or "[0" in text or ", 0]" in text


def _choose(samples: list[Sample], count: int, rng: random.Random) -> list[Sample]:
    """A seeded choice that keeps some calls with tensors of no dimension or no element."""
    if len(samples) <= count:
        return samples
    edges = [s for s in samples if _is_edge(s)]
    chosen = rng.sample(edges, min(len(edges), count // 4))
    rest = [s for s in samples if not any(s is c for c in chosen)]
    return chosen + rng.sample(rest, min(len(rest), count - len(chosen)))


def samples_of(row: Row, seed: int, everything: bool, per_dtype: int) -> list[Sample]:
    """Samples of the row for each element type that PyTorch supports, and calls that PyTorch refuses."""
    result = []
    for dtype in DTYPES:
        rng = seed_everything(seed, row.name, str(dtype))
        unique = {}
        for sample in _database_samples(row, dtype, everything):
            unique.setdefault(_signature(sample), []).append(sample)
        distinct = [sample for group in unique.values() for sample in group[:2]]
        result += distinct if everything else _choose(distinct, per_dtype, rng)
    rng = seed_everything(seed, row.name)
    for group in (_refused_samples(row), handwritten.samples_of(row)):
        result += group if everything else _choose(group, 60, rng)
    return result
