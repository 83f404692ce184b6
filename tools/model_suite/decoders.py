"""Small seeded configurations of transformers' decoders, with a key/value cache: (token [1, 1], position [1]) -> scores."""

import torch
from torch import nn

from model_suite.spec import First, Spec, hide_torchvision, model

VOCABULARY = 1024
CACHE = 32
PROMPT, GENERATED = 6, 10
SIZES = dict(vocab_size=VOCABULARY, hidden_size=128, intermediate_size=256, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=256, bos_token_id=1, eos_token_id=2, pad_token_id=0, attn_implementation="sdpa")  # fmt: skip
VARIANTS = ["portable", "xnnpack", "8da4w", "8da8w"]


def causal_model(config):
    from transformers import AutoModelForCausalLM

    net = AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")
    for name, parameter in net.named_parameters():
        # Wide enough that layers and positions matter for the scores.
        if parameter.dim() == 2:
            torch.nn.init.normal_(parameter, std=0.5 if "embed" in name else 1.2 / parameter.size(1) ** 0.5)
    return net


class Cached(nn.Module):
    """A decoder whose cache is this module's buffers: (token [1, 1], position [1]) -> scores [1, 1, vocabulary]."""

    STATE = ("keys", "values", "cumulative_length")

    def __init__(self, net):
        super().__init__()
        from transformers.cache_utils import StaticCache, StaticLayer

        config = net.config
        self.net, self.cache = net, StaticCache(config=config, max_cache_len=CACHE)
        # Layers that keep a window alone branch on values; the mask hides what lies before the window as well.
        self.cache.layers = [StaticLayer(CACHE) for _ in self.cache.layers]
        width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
        self.cache.early_initialization(1, config.num_key_value_heads, width, net.dtype, net.device)
        for i, layer in enumerate(self.cache.layers):
            for name in self.STATE:
                self.register_buffer(f"{name}_{i}", getattr(layer, name))

    def forward(self, token, position):
        self._lend(lambda name, i: getattr(self, f"{name}_{i}"))
        for layer in self.cache.layers:
            layer.cumulative_length.copy_(position[0])
        scores = self.net(input_ids=token, cache=self.cache, use_cache=True).logits
        # The cache keeps nothing, so that tracing leaves no traced tensors behind.
        self._lend(lambda name, i: None)
        return scores

    def _lend(self, tensor):
        for i, layer in enumerate(self.cache.layers):
            for name in self.STATE:
                setattr(layer, name, tensor(name, i))


def decoder(config, note="") -> Spec:
    module = Cached(causal_model(config))
    tokens = torch.randint(3, VOCABULARY, (PROMPT,))
    sequence = [(tokens[i].view(1, 1), torch.tensor([i])) for i in range(PROMPT)]
    return Spec(module, sequence[0], VARIANTS, stateful=True, sequence=sequence, greedy=GENERATED, note=note)


@model
def llama32_small() -> Spec:
    hide_torchvision()
    from transformers import LlamaConfig

    scaling = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
               "original_max_position_embeddings": 64}  # fmt: skip
    return decoder(LlamaConfig(**SIZES, num_hidden_layers=2, rope_parameters=scaling, tie_word_embeddings=True))


@model
def qwen3_small() -> Spec:
    hide_torchvision()
    from transformers import Qwen3Config

    return decoder(Qwen3Config(**SIZES, num_hidden_layers=2, head_dim=64))


@model
def phi3_small() -> Spec:
    hide_torchvision()
    from transformers import Phi3Config

    return decoder(Phi3Config(**SIZES, num_hidden_layers=2))


@model
def smollm2_small() -> Spec:
    """SmolLM2 is a Llama with other numbers."""
    hide_torchvision()
    from transformers import LlamaConfig

    sizes = {**SIZES, "num_attention_heads": 3, "num_key_value_heads": 1, "hidden_size": 192}
    return decoder(LlamaConfig(**sizes, num_hidden_layers=3, rope_theta=100000.0, tie_word_embeddings=True))


@model
def smollm3_small() -> Spec:
    hide_torchvision()
    from transformers import SmolLM3Config

    return decoder(SmolLM3Config(**SIZES, num_hidden_layers=4), note="every fourth layer without positions")


def gemma3_config():
    from transformers import Gemma3TextConfig

    kinds = ["sliding_attention", "sliding_attention", "full_attention"]
    return Gemma3TextConfig(**SIZES, num_hidden_layers=3, head_dim=64, query_pre_attn_scalar=64, sliding_window=8, layer_types=kinds)


@model
def gemma3_small() -> Spec:
    hide_torchvision()
    return decoder(gemma3_config(), note="cache, sliding window of 8")


@model
def gemma3_small_prefill() -> Spec:
    hide_torchvision()
    net = First(causal_model(gemma3_config()), lambda m, tokens: m(input_ids=tokens, use_cache=False).logits)
    return Spec(net, (torch.randint(3, VOCABULARY, (1, 24)),), VARIANTS, note="24 tokens, sliding window of 8")
