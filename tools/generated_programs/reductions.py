"""Reductions, norms, scans and softmax over any dims, with arithmetic on the results."""

import torch
from torch import nn
from torch.nn import functional as F

from generated_programs.layouts import Scaled, permutation
from generated_programs.pick import grow
from program_export import Spec


def dims_of(pick, x):
    return pick.sample(range(x.dim()), pick.randint(1, x.dim()))


def reduction(pick, x):
    dims, keep = dims_of(pick, x), pick.chance(0.5)
    return pick.choice([
        lambda v: v.sum(dims, keep), lambda v: v.mean(dims, keep), lambda v: v.amax(dims, keep), lambda v: v.amin(dims, keep),
        lambda v: v.var(dims, unbiased=False, keepdim=keep), lambda v: v.std(dims, unbiased=False, keepdim=keep),
        lambda v: v.max(dims[0], keep)[0], lambda v: v.min(dims[0], keep)[0], lambda v: v.pow(2).sum(dims, keep),
        lambda v: v.tanh().prod(dims[0], keep), lambda v: v.exp().sum(dims, keep).log(), lambda v: v.abs().mean(dims, keep),
    ])  # fmt: skip


def centring(pick, x):
    dims = dims_of(pick, x)
    return pick.choice([
        lambda v: v - v.mean(dims, True), lambda v: v / (v.abs().amax(dims, True) + 0.1),
        lambda v: (v - v.mean(dims, True)) * (v.var(dims, unbiased=False, keepdim=True) + 1e-3).rsqrt(),
        lambda v: v * (v.pow(2).mean(dims, True) + 1e-3).rsqrt(),
    ])  # fmt: skip


def along(pick, x):
    dim = pick.randrange(x.dim())
    return pick.choice([lambda v: v.softmax(dim), lambda v: v.log_softmax(dim), lambda v: v.cumsum(dim), lambda v: F.softmin(v, dim),
                        lambda v: v.topk(min(2, v.shape[dim]), dim)[0], lambda v: F.glu(v, dim)])  # fmt: skip


def layer(pick, x):
    channels = x.shape[1]
    return pick.choice([
        lambda: nn.LayerNorm(x.shape[-pick.randint(1, x.dim()) :]), lambda: nn.GroupNorm(pick.choice([1, channels]), channels),
        lambda: nn.InstanceNorm1d(channels) if x.dim() == 3 else nn.InstanceNorm2d(channels, affine=True),
        lambda: nn.RMSNorm(x.shape[-1]), lambda: nn.BatchNorm1d(channels) if x.dim() in (2, 3) else nn.BatchNorm2d(channels),
    ])()  # fmt: skip


def reduced(pick):
    shape = [max(size, 2) for size in pick.shape(pick.randint(1, 5))]
    calls = [(torch.randn(shape),) for _ in range(2)]
    makers = [reduction, centring, centring, along, along, layer, layer, Scaled, permutation]
    steps, _ = grow(pick, calls[0][0], makers, pick.randint(2, 7), limit=20000)
    return Spec(steps, calls[0], calls)


class Answers(nn.Module):
    """Questions with integer and boolean answers."""

    def __init__(self, pick, rank):
        super().__init__()
        self.dim = pick.randrange(rank)
        self.threshold = pick.random()

    def forward(self, x, n):
        over = x > self.threshold
        best = x.argmax(self.dim)
        counts = over.sum(self.dim)
        return (best, counts, over.any(self.dim), over.all(), x.argmin(), n.sum(self.dim), n.float().mean(), n.amax(self.dim),
                torch.where(counts > 1, best, counts * 0))  # fmt: skip


def answers(pick):
    shape = pick.shape(pick.randint(1, 4))
    calls = [(torch.randn(shape), torch.randint(-50, 50, shape)) for _ in range(2)]
    return Spec(Answers(pick, len(shape)), calls[0], calls)


class TwoNorms(nn.Module):
    def __init__(self, pick, width):
        super().__init__()
        self.one, self.two = nn.LayerNorm(width), nn.Linear(width, width)
        self.dim = pick.choice([-1, -2])

    def forward(self, x, y):
        joined = self.one(x) + self.two(y)
        weights = joined.softmax(self.dim)
        return weights.sum(self.dim), (weights * joined).mean(0), torch.cat([x.mean(1), y.amax(1)], -1)


def reduced_dynamic(pick):
    width = pick.width(40)
    calls = [(torch.randn(n, m, width), torch.randn(n, m, width)) for n, m in ((3, 5), (1, 2), (4, 8), (3, 5))]
    rows, places = torch.export.Dim("rows", min=1, max=4), torch.export.Dim("places", min=2, max=8)
    return Spec(TwoNorms(pick, width), calls[0], calls, dynamic_shapes=({0: rows, 1: places},) * 2)


FAMILIES = [reduced, answers, reduced_dynamic]
