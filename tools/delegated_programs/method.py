"""A method of a program: a module, its example inputs, the calls to record."""

import dataclasses

import torch
from torch import nn


class Call(nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


@dataclasses.dataclass
class Method:
    name: str
    module: nn.Module
    inputs: tuple
    calls: list = None
    dynamic_shapes: tuple = None

    def __post_init__(self):
        if not isinstance(self.module, nn.Module):
            self.module = Call(self.module)
        self.module.eval().requires_grad_(False)
        self.calls = self.calls or [self.inputs]


def random(dtype, *sizes):
    return torch.randn(sizes).to(dtype)


def odd_numbers(dtype, *sizes):
    """Values around zero, with the numbers that arithmetic stumbles over in front."""
    values = torch.randn(sizes).to(dtype).flatten()
    odd = torch.tensor([0.0, -0.0, torch.inf, -torch.inf, torch.nan, 1.0, -1.0, 0.5, 100.0, -100.0, 1e-4, 3.0, -3.0, 6.0]).to(dtype)
    count = min(len(odd), len(values))
    values[:count] = odd[:count]
    return values.reshape(sizes)
