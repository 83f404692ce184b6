"""What PyTorch must know of the operators of language models."""

import torch

from executorch import _torch_operators


def _like(tensor: str):
    return lambda v: [(list(v[tensor].shape), v[tensor].dtype)]


def _nothing(v):
    """Operators that write a cache have a result that means nothing."""
    return [([1], v["value"].dtype)]


def _delta_rule(v):
    query, value, state = v["query"], v["value"], v["initial_state"]
    return [([*query.shape[:3], value.shape[3]], query.dtype), (list(state.shape), state.dtype)]


def _tiles(v):
    channels, height, width = v["input"].shape
    size = v["tile_size"]
    return [([height // size * (width // size), channels, size, size], v["input"].dtype)]


_RESULTS = {
    "custom_sdpa": _like("query"),
    "sdpa_with_kv_cache": _like("query"),
    "custom_quantized_sdpa": lambda v: [(list(v["query"].shape), torch.float32)],
    "update_cache": _nothing,
    "update_cache_with_indices": _nothing,
    "fallback": _like("input"),
    "fast_hadamard_transform": _like("mat"),
    "gated_delta_rule": _delta_rule,
    "channelwise_gated_delta_rule": _delta_rule,
    "quantized_moe_ffn": _like("x"),
    "tile_crop": _tiles,
}


def define(names: list[str]) -> None:
    _torch_operators.define(names, _RESULTS)
