"""Which programs of the model suite are exported, tested and measured: name -> variants. Nothing needs to be installed to read it.

SMALL is what every run of the tests covers, LARGE what `./dev test-models` adds.
"""

FLOAT = ["portable", "xnnpack"]

SMALL = {
    "add_mul": FLOAT,
    "mlp": [*FLOAT, "xnnpack_q8", "8da4w"],
    "mlp_dyn": FLOAT,
    "resnet18": [*FLOAT, "xnnpack_q8"],
    "mobilenet_v2": [*FLOAT, "xnnpack_q8"],
    "minilm": [*FLOAT, "xnnpack_q8dyn"],
    "llama15m_decode": [*FLOAT, "8da4w"],
    "llama15m_prefill": FLOAT,
    "conv1d": FLOAT,
    "lstm": FLOAT,
    "vit_small": FLOAT,
    "whisper_tiny_encoder": FLOAT,
    "conv1d_pairs": ["xnnpack_q8"],
    "mobilenet_v3": ["xnnpack_q8"],
    "emformer_joiner": ["xnnpack_q8"],
    "llama32_small": ["8da4w", "8da8w"],
    "gemma3_small": ["8da4w"],
}

_DECODER = [*FLOAT, "8da4w", "8da8w"]
LARGE = {
    "conv1d_pairs": FLOAT,
    "mobilenet_v3": FLOAT,
    "resnet50": [*FLOAT, "xnnpack_q8"],
    "inception_v3": [*FLOAT, "xnnpack_q8"],
    "inception_v4": [*FLOAT, "xnnpack_q8"],
    "emformer_transcriber": [*FLOAT, "xnnpack_q8"],
    "emformer_joiner": FLOAT,
    "wav2letter": [*FLOAT, "xnnpack_q8"],
    "minilm": ["8da4w"],
    "vit_small": ["xnnpack_q8dyn", "8da4w"],
    "whisper_tiny_encoder": ["xnnpack_q8dyn", "8da4w"],
    "llama110m_decode": [*FLOAT, "8da4w"],
    "llama32_small": _DECODER,
    "qwen3_small": _DECODER,
    "gemma3_small": _DECODER,
    "gemma3_small_prefill": _DECODER,
    "phi3_small": _DECODER,
    "smollm2_small": _DECODER,
    "smollm3_small": _DECODER,
}

# Decoders that keep state between calls.
STATEFUL = {"llama15m_decode", "llama110m_decode", "llama32_small", "qwen3_small", "gemma3_small", "phi3_small", "smollm2_small",
            "smollm3_small"}  # fmt: skip
# Quantised variants, and what files with the eager results of their modules are called.
GROUPS = {"xnnpack_q8": "_q8", "xnnpack_q8dyn": "_q8dyn", "8da4w": "_8da4w", "8da8w": "_8da8w"}


def files(name, variant):
    """What an exported program comes with."""
    group = GROUPS.get(variant, "")
    names = [f"{variant}.pte", "inputs.npz", f"expected{group}.npz"]
    if group:
        names.append(f"original_{variant}.npz")
    if name in STATEFUL:
        names.append(f"seq{group}.npz")
    return names


def programs(large=False):
    """(name, variant) of every program."""
    sets = [SMALL, LARGE] if large else [SMALL]
    return list(dict.fromkeys((name, variant) for models in sets for name, variants in models.items() for variant in variants))
