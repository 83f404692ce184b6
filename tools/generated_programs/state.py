"""Programs with state: caches, counters, sliding windows."""

import torch
from torch import nn
from torch.nn import functional as F

from program_export import Spec


class Cache(nn.Module):
    """Keys and values of earlier calls, written at a position by one of three spellings."""

    def __init__(self, pick):
        super().__init__()
        self.heads, self.size, self.length = pick.choice([1, 2, 3]), pick.choice([3, 4, 8, 12]), pick.randint(6, 14)
        self.style, width = pick.choice(["index_put", "copy", "where"]), self.heads * self.size
        self.q, self.k, self.v, self.o = (nn.Linear(width, width, bias=pick.chance(0.5)) for _ in range(4))
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, self.heads, self.length, self.size))
        self.register_buffer("places", torch.arange(self.length))

    def write(self, cache, position, new):
        if self.style == "index_put":
            cache[:, :, position] = new
        elif self.style == "copy":
            cache.copy_(torch.where((self.places == position)[:, None], new, cache))
        else:
            hit = (self.places == position)[None, None, :, None].to(cache.dtype)
            cache.copy_(cache * (1 - hit) + new * hit)

    def forward(self, x, position):
        split = lambda t: t.view(1, 1, self.heads, self.size).transpose(1, 2)
        self.write(self.keys, position, split(self.k(x)))
        self.write(self.values, position, split(self.v(x)))
        seen = (self.places <= position).view(1, 1, 1, -1)
        y = F.scaled_dot_product_attention(split(self.q(x)), self.keys, self.values, attn_mask=seen)
        return x + self.o(y.transpose(1, 2).reshape(x.shape))


def cached_attention(pick):
    module = Cache(pick)
    calls = [(torch.randn(1, 1, module.heads * module.size), torch.tensor([i])) for i in range(5)]
    return Spec(module, calls[0], calls)


class Window(nn.Module):
    """The last inputs in a buffer that slides, with statistics beside it."""

    def __init__(self, pick, width):
        super().__init__()
        self.register_buffer("window", torch.zeros(pick.randint(2, 6), width))
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("calls", torch.zeros(1, dtype=torch.int64))
        self.mix, self.out, self.before = pick.random(), nn.Linear(width, pick.width(9)), pick.chance(0.5)

    def forward(self, x):
        old = self.mean + 0 if self.before else None
        self.window.copy_(torch.cat([self.window[1:], x[None]]))
        self.mean.mul_(1 - self.mix).add_(x * self.mix)
        self.calls.add_(1)
        y = self.out(self.window - self.mean).amax(0)
        return (y, self.calls + 0, old) if self.before else (y, self.window * 2, self.calls.float() * 0.5)


def sliding_window(pick):
    width = pick.width(30)
    calls = [(torch.randn(width),) for _ in range(4)]
    return Spec(Window(pick, width), calls[0], calls)


class Tally(nn.Module):
    """Buffers with initial values, updated by assignment to parts; a buffer itself may be the answer."""

    def __init__(self, pick, rows, width):
        super().__init__()
        self.register_buffer("table", torch.randn(rows, width))
        self.register_buffer("last", torch.full((width,), 2.0))
        self.answer = pick.choice(["table", "both", "row"])
        self.row = pick.randrange(rows)

    def forward(self, x, place):
        before = self.last * 1.5
        self.table[place] = x + self.last
        self.last.copy_(x)
        if self.answer == "row":
            return self.table[self.row] + before
        return (self.table.clone(), before) if self.answer == "both" else self.table.sum(0) + before


def tally(pick):
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass
    from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

    rows, width = pick.randint(2, 6), pick.width(20)
    config = ExecutorchBackendConfig(
        passes=[InitializedMutableBufferPass(["table", "last"])], memory_planning_pass=MemoryPlanningPass(), emit_mutable_buffer_names=True)
    calls = [(torch.randn(width), torch.tensor([i % rows])) for i in range(4)]
    return Spec(Tally(pick, rows, width), calls[0], calls, config=config)


FAMILIES = [cached_attention, sliding_window, tally]
