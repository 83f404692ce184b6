"""Linear layers and matrix products."""

import torch
from torch import nn
from torch.nn import functional as F

from delegated_programs.method import Method, random


class MatMul(nn.Module):
    def __init__(self, weight, bias=None):
        super().__init__()
        self.weight, self.bias = nn.Parameter(weight), None if bias is None else nn.Parameter(bias)

    def forward(self, x):
        return x @ self.weight if self.bias is None else torch.addmm(self.bias, x, self.weight)


def linear(dtype):
    for rank, sizes in {1: (12,), 2: (5, 12), 3: (2, 3, 12), 4: (2, 1, 3, 12)}.items():
        yield Method(f"rank{rank}", nn.Linear(12, 7).to(dtype), (random(dtype, *sizes),))
    x = random(dtype, 5, 12)
    yield Method("no_bias", nn.Linear(12, 7, bias=False).to(dtype), (x,))
    yield Method("relu", nn.Sequential(nn.Linear(12, 7), nn.ReLU()).to(dtype), (x,))
    yield Method("hardtanh", nn.Sequential(nn.Linear(12, 7), nn.Hardtanh(-0.3, 0.2)).to(dtype), (x,))
    yield Method("matmul", MatMul(random(dtype, 12, 6)), (x,))
    yield Method("addmm", MatMul(random(dtype, 12, 6), random(dtype, 6)), (x,))
    yield Method("wide", nn.Linear(300, 257).to(dtype), (random(dtype, 3, 300),))


def products(dtype):
    yield Method("bmm", torch.bmm, (random(dtype, 3, 4, 5), random(dtype, 3, 5, 6)))
    yield Method("matmul4", torch.matmul, (random(dtype, 2, 3, 4, 5), random(dtype, 2, 3, 5, 6)))
    q, k, v = (random(dtype, 1, 2, 6, 8) for _ in range(3))
    yield Method("attention", lambda q, k, v: ((q @ k.transpose(-1, -2)) * 0.3).softmax(-1) @ v, (q, k, v))


GROUPS = {"linear": linear, "products": products}
