"""Fully connected, attention, recurrent and embedding programs."""

import torch
from torch import nn
from torch.nn import functional as F

from generated_programs.images import activation
from generated_programs.pick import grow
from program_export import Spec


class RmsNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def row_norm(pick, width):
    return pick.choice([nn.LayerNorm, RmsNorm, lambda n: nn.LayerNorm(n, elementwise_affine=False), lambda n: nn.RMSNorm(n)])(width)


class Gated(nn.Module):
    """A feed-forward part whose product is gated."""

    def __init__(self, pick, width, middle):
        super().__init__()
        self.gate, self.up, self.down = nn.Linear(width, middle, bias=False), nn.Linear(width, middle), nn.Linear(middle, width)
        self.act = activation(pick)

    def forward(self, x):
        return self.down(self.act(self.gate(x)) * self.up(x))


class Around(nn.Module):
    """x + f(norm(x)), or norm(x + f(x))."""

    def __init__(self, pick, width, body):
        super().__init__()
        self.body, self.norm, self.before = body, row_norm(pick, width), pick.chance(0.6)

    def forward(self, x):
        return x + self.body(self.norm(x)) if self.before else self.norm(x + self.body(x))


def dense_makers():
    return [
        lambda pick, x: nn.Linear(x.shape[-1], pick.width(200), bias=pick.chance(0.7)),
        lambda pick, x: nn.Sequential(nn.Linear(x.shape[-1], pick.width(200)), activation(pick)),
        lambda pick, x: Around(pick, x.shape[-1], Gated(pick, x.shape[-1], pick.width(90))),
        lambda pick, x: row_norm(pick, x.shape[-1]),
        lambda pick, x: nn.Softmax(-1),
    ]


def multilayer(pick):
    rank = pick.randint(1, 4)
    calls = [(torch.randn(*pick.shape(rank - 1, 40), pick.width(150)),)]
    calls.append((torch.randn_like(calls[0][0]),))
    steps, _ = grow(pick, calls[0][0], dense_makers(), pick.randint(2, 7))
    return Spec(steps, calls[0], calls)


def multilayer_dynamic(pick):
    width, middle = pick.width(100), pick.choice([(), (3,)])
    calls = [(torch.randn(n, *middle, width),) for n in (4, 1, 17, 9, 4)]
    steps, _ = grow(pick, calls[0][0], dense_makers(), pick.randint(2, 6))
    batch = torch.export.Dim("batch", min=1, max=32)
    return Spec(steps, calls[0], calls, dynamic_shapes=({0: batch},))


class Attention(nn.Module):
    """Self attention in one of its many spellings; `mask` is none, causal, float, boolean or padding (an input)."""

    # One more than the longest input: a slice of the whole table would be another program.
    def __init__(self, pick, mask, longest=25):
        super().__init__()
        self.groups, repeats, self.size = pick.choice([1, 2, 3]), pick.choice([1, 1, 2, 3]), 2 * pick.choice([2, 3, 4, 8, 9, 16])
        self.heads, self.mask, width = self.groups * repeats, mask, pick.width(48)
        self.width, self.fused = width, pick.chance(0.5)
        if self.heads == self.groups and pick.chance(0.5):
            self.joint = nn.Linear(width, 3 * self.heads * self.size)
        else:
            self.joint = None
            self.q = nn.Linear(width, self.heads * self.size, bias=pick.chance(0.5))
            self.k, self.v = (nn.Linear(width, self.groups * self.size, bias=pick.chance(0.5)) for _ in range(2))
        self.o = nn.Linear(self.heads * self.size, width)
        self.rotary = pick.chance(0.4)
        angles = torch.outer(torch.arange(longest).float(), 1.0 / 100 ** (torch.arange(self.size // 2) / self.size))
        self.register_buffer("cos", angles.cos().repeat(1, 2))
        self.register_buffer("sin", angles.sin().repeat(1, 2))
        allowed = torch.ones(longest, longest, dtype=torch.bool).tril()
        self.register_buffer("allowed", allowed if mask == "boolean" else torch.zeros(longest, longest).masked_fill(~allowed, float("-inf")))
        self.body = Gated(pick, width, pick.width(64))
        self.norm1, self.norm2 = row_norm(pick, width), row_norm(pick, width)

    def rotate(self, x):
        length = x.shape[-2]
        left, right = x.chunk(2, -1)
        return x * self.cos[:length] + torch.cat([-right, left], -1) * self.sin[:length]

    def heads_of(self, x, count):
        return x.unflatten(-1, (count, self.size)).transpose(1, 2)

    def projected(self, x):
        if self.joint is not None:
            return (self.heads_of(part, self.heads) for part in self.joint(x).chunk(3, -1))
        return self.heads_of(self.q(x), self.heads), self.heads_of(self.k(x), self.groups), self.heads_of(self.v(x), self.groups)

    def mask_of(self, length, padding):
        if self.mask in ("float", "boolean"):
            return self.allowed[:length, :length]
        return padding[:, None, None, :] if self.mask == "padding" else None

    def attend(self, q, k, v, mask):
        if self.fused:
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.mask == "causal")
        scores = q @ k.transpose(-2, -1) / self.size**0.5
        if self.mask == "causal":
            mask = self.allowed[: q.shape[-2], : q.shape[-2]]
        if mask is not None:
            scores = scores.masked_fill(~mask, -1e9) if mask.dtype == torch.bool else scores + mask
        return scores.softmax(-1) @ v

    def forward(self, x, padding=None):
        q, k, v = self.projected(self.norm1(x))
        if self.rotary:
            q, k = self.rotate(q), self.rotate(k)
        if self.heads != self.groups:
            k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v))
        y = self.attend(q, k, v, self.mask_of(x.shape[1], padding))
        x = x + self.o(y.transpose(1, 2).flatten(2))
        return x + self.body(self.norm2(x))


class Layers(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, x, padding=None):
        for layer in self.layers:
            x = layer(x, padding)
        return x


def attention_of(pick, lengths, dynamic):
    mask, batch = pick.choice(["none", "causal", "float", "boolean", "padding"]), pick.randint(1, 3)
    first = Attention(pick, mask)
    calls = []
    for length in lengths:
        call = [torch.randn(batch, length, first.width)]
        if mask == "padding":
            call.append(torch.arange(length)[None] < torch.randint(1, length + 1, (batch, 1)))
        calls.append(tuple(call))
    options = {}
    if dynamic:
        length = torch.export.Dim("length", min=2, max=24)
        options["dynamic_shapes"] = tuple({1: length} for _ in calls[0])
    return Spec(Layers([first]), calls[0], calls, **options)


def attention(pick):
    length = pick.randint(2, 23)
    return attention_of(pick, [length, length], dynamic=False)


def attention_dynamic(pick):
    return attention_of(pick, [7, 3, 24, 16, 7], dynamic=True)


class Recurrent(nn.Module):
    def __init__(self, pick, width):
        super().__init__()
        hidden, two = pick.width(48), pick.chance(0.3)
        make = pick.choice([nn.LSTM, nn.LSTM, nn.GRU, nn.RNN])
        self.cell = make(width, hidden, pick.choice([1, 1, 2]), bias=pick.chance(0.8), batch_first=pick.chance(0.6), bidirectional=two)
        self.head, self.all, self.state = nn.Linear(hidden * (1 + two), pick.width(20)), pick.chance(0.5), pick.chance(0.4)

    def forward(self, x):
        y, state = self.cell(x)
        y = self.head(y if self.all else y[:, -1])
        return (y, *(state if isinstance(state, tuple) else (state,))) if self.state else y


def recurrent(pick):
    width = pick.width(33)
    calls = [(torch.randn(pick.randint(1, 3), pick.randint(2, 9), width),)]
    calls.append((torch.randn_like(calls[0][0]),))
    return Spec(Recurrent(pick, width), calls[0], calls)


class TextClassifier(nn.Module):
    """Embeddings with positions and arithmetic on ids, averaged over what is no padding."""

    def __init__(self, pick):
        super().__init__()
        self.words, width = pick.randint(10, 60), pick.width(50)
        self.table, self.places = nn.Embedding(self.words, width), nn.Embedding(40, width)
        self.norm, self.out, self.mix = row_norm(pick, width), nn.Linear(width, pick.width(9)), pick.chance(0.5)

    def forward(self, ids):
        shown = ids != 0
        if self.mix:
            ids = torch.where(shown, (ids * 3 + 1) % self.words, ids)
        x = self.norm(self.table(ids) + self.places(torch.arange(ids.shape[1])))
        weights = shown.unsqueeze(-1).float()
        mean = (x * weights).sum(1) / weights.sum(1).clamp(min=1)
        return self.out(mean), shown.sum(1)


def embedding(pick):
    module, length = TextClassifier(pick), pick.randint(3, 30)
    make = lambda n: (torch.randint(0, module.words, (2, n)) * (torch.rand(2, n) > 0.2),)
    if pick.chance(0.5):
        calls = [make(n) for n in (8, 3, 40, 8)]
        return Spec(module, calls[0], calls, dynamic_shapes=({1: torch.export.Dim("length", min=2, max=40)},))
    calls = [make(length), make(length)]
    return Spec(module, calls[0], calls)


FAMILIES = [multilayer, multilayer_dynamic, attention, attention_dynamic, recurrent, embedding]
