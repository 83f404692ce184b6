"""Llama-style decoders with a key/value cache, written out."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from model_suite.spec import SEED, Spec, model


class RMSNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


class Attention(nn.Module):
    """Static-shape KV cache held in mutable buffers. `custom`: the original's llama:: update_cache + custom_sdpa operators."""

    def __init__(self, d, heads, max_len, custom):
        super().__init__()
        self.h, self.hd, self.custom = heads, d // heads, custom
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(d, d, bias=False) for _ in range(4))
        shape = (1, max_len, heads, self.hd) if custom else (1, heads, max_len, self.hd)
        self.register_buffer("k_cache", torch.zeros(shape))
        self.register_buffer("v_cache", torch.zeros(shape))

    def forward(self, x, pos, cos, sin, mask):
        b, s, _ = x.shape
        q, k, v = (w(x).view(b, s, self.h, self.hd) for w in (self.wq, self.wk, self.wv))
        q, k = rope(q, cos, sin), rope(k, cos, sin)
        if self.custom:
            start = pos[0].item()
            torch._check(start >= 0)
            torch._check(start <= self.k_cache.size(1) - s)
            torch.ops.llama.update_cache(k, self.k_cache, start)
            torch.ops.llama.update_cache(v, self.v_cache, start)
            y = torch.ops.llama.custom_sdpa(q, self.k_cache, self.v_cache, start, None, 0.0, True)
            return self.wo(y.view(b, s, -1))
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        self.k_cache[:, :, pos] = k
        self.v_cache[:, :, pos] = v
        y = F.scaled_dot_product_attention(q, self.k_cache, self.v_cache, attn_mask=mask)
        return self.wo(y.transpose(1, 2).reshape(b, s, -1))


def rope(x, cos, sin):
    a, b = x.float().chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class Block(nn.Module):
    def __init__(self, d, heads, hidden, max_len, custom):
        super().__init__()
        self.attn, self.n1, self.n2 = Attention(d, heads, max_len, custom), RMSNorm(d), RMSNorm(d)
        self.w1, self.w3 = nn.Linear(d, hidden, bias=False), nn.Linear(d, hidden, bias=False)
        self.w2 = nn.Linear(hidden, d, bias=False)

    def forward(self, x, *a):
        x = x + self.attn(self.n1(x), *a)
        h = self.n2(x)
        return x + self.w2(F.silu(self.w1(h)) * self.w3(h))


class Llama(nn.Module):
    def __init__(self, d, layers, heads, hidden, vocab=32000, max_len=256, custom=False):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList(Block(d, heads, hidden, max_len, custom) for _ in range(layers))
        self.norm, self.head = RMSNorm(d), nn.Linear(d, vocab, bias=False)
        hd = d // heads
        ang = torch.outer(torch.arange(max_len).float(), 1.0 / 10000 ** (torch.arange(0, hd, 2).float() / hd))
        self.register_buffer("cos", ang.cos())
        self.register_buffer("sin", ang.sin())
        self.register_buffer("mask", torch.full((max_len, max_len), -1e9).triu(1))
        nn.init.normal_(self.embed.weight, std=0.5)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, std=1.0 / math.sqrt(m.in_features))

    def forward(self, tokens, pos):
        x = self.embed(tokens)
        cos, sin = self.cos[pos].unsqueeze(1), self.sin[pos].unsqueeze(1)
        mask = self.mask[pos]
        for blk in self.blocks:
            x = blk(x, pos, cos, sin, mask)
        return self.head(self.norm(x[:, -1:]))


SIZES = {"15m": (288, 6, 6, 768), "110m": (768, 12, 12, 2048)}  # stories15M / stories110M shapes


def llama_module(size: str, custom: bool = False) -> nn.Module:
    torch.manual_seed(SEED)
    return Llama(*SIZES[size], custom=custom).eval().requires_grad_(False)


def _llama(size: str, steps: int) -> Spec:
    tok = torch.randint(0, 32000, (1, 128))
    seq = None
    if steps == 1:
        inputs = (tok[:, :1].clone(), torch.tensor([128]))
        seq = [(tok[:, i : i + 1].clone(), torch.tensor([i])) for i in range(6)]
    else:
        inputs = (tok, torch.arange(128))
    variants = ["portable", "xnnpack", "8da4w", "xnnpack_sdpa", "8da4w_sdpa"]
    if steps == 1:
        variants += ["onnx", "aoti"]
    kind = "decode 1 token at pos 128" if steps == 1 else "prefill 128 tokens"
    return Spec(llama_module(size), inputs, variants, stateful=True, sequence=seq,
                note=f"{kind}, cache 256, stories{size.upper()} shape, random weights")


@model
def llama15m_decode() -> Spec:
    return _llama("15m", 1)


@model
def llama15m_prefill() -> Spec:
    return _llama("15m", 128)


@model
def llama110m_decode() -> Spec:
    return _llama("110m", 1)


@model
def llama110m_prefill() -> Spec:
    return _llama("110m", 128)


def custom_sdpa_twin(name: str) -> nn.Module:
    """The same weights with the original's custom cache/attention operators."""
    return llama_module(name.removeprefix("llama").split("_")[0], custom=True)
