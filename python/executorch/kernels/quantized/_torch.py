"""What PyTorch must know of the quantised operators."""

import torch

# Defines the operators that are PyTorch's own; after ours it could not.
from torch.ao.quantization.fx import _decomposed  # noqa: F401

from executorch import _torch_operators


def _like(tensor: str, dtype: str | None = None, default: torch.dtype | None = None):
    """Results with the sizes of an argument, of the type that another argument names."""
    return lambda v: [(list(v[tensor].shape), v[dtype] or default if dtype else v[tensor].dtype)]


def _embedding(numbers_per_byte: int):
    def results(v):
        columns = v["weight"].shape[1] * numbers_per_byte
        return [([*v["indices"].shape, columns], v.get("dtype") or v["weight_scales"].dtype)]

    return results


def _parameters(sizes):
    return lambda v: [(sizes(v["input"]), torch.float64), (sizes(v["input"]), torch.int64)]


_RESULTS = {
    "quantize_per_tensor": _like("input", "dtype"),
    "quantize_per_channel": _like("input", "dtype"),
    "quantize_per_token": _like("input", "dtype"),
    "dequantize_per_tensor": _like("input", "out_dtype", torch.float32),
    "dequantize_per_channel": _like("input", "out_dtype", torch.float32),
    "dequantize_per_token": _like("input", "output_dtype"),
    "choose_qparams": _parameters(lambda x: [1]),
    "choose_qparams_per_token_asymmetric": _parameters(lambda x: [*x.shape[:-1], 1]),
    "add": _like("a"),
    "embedding_byte": _embedding(1),
    "embedding_4bit": _embedding(2),
    "embedding_2bit": _embedding(4),
    "mixed_mm": lambda v: [([v["input"].shape[0], v["weight"].shape[1]], v["input"].dtype)],
    "mixed_linear": lambda v: [([v["input"].shape[0], v["weight"].shape[0]], v["dtype"] or v["input"].dtype)],
}


def define(names: list[str]) -> None:
    _torch_operators.define(names, _RESULTS)
