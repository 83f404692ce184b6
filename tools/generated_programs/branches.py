"""Control flow and programs of several methods."""

import torch
from torch import nn

from generated_programs.images import activation
from program_export import Spec


def positive(x):
    return x.sum() > 0


class Branching(nn.Module):
    """Layers around a choice that depends on the data; a choice may contain another."""

    def __init__(self, pick, width):
        super().__init__()
        self.before, self.after, self.act = nn.Linear(width, width), nn.Linear(width, pick.width(9)), activation(pick)
        self.nested, self.left, self.right = pick.chance(0.4), pick.choice([torch.sin, torch.tanh]), pick.choice([torch.neg, torch.cos])

    def forward(self, x, bias):
        y = self.act(self.before(x))
        left, right = self.left, self.right

        def inner(y, bias):
            return torch.cond(positive(bias), lambda y, bias: left(y) + bias, lambda y, bias: (y - bias) * 2, (y, bias))

        def flat(y, bias):
            return left(y) * 2 + bias

        def other(y, bias):
            return right(y @ y.transpose(0, 1)).sum(1, keepdim=True) + y * bias

        y = torch.cond(positive(x), inner if self.nested else flat, other, (y, bias))
        return self.after(y), y


def branching(pick):
    width = pick.width(20)
    make = lambda sign, other: (torch.rand(3, width) * sign, torch.rand(width) * other)
    calls = [make(1, 1), make(-1, 1), make(1, -1), make(-1, -1)]
    return Spec(Branching(pick, width), calls[0], calls)


class Shared(nn.Module):
    def __init__(self, pick, width):
        super().__init__()
        self.one, self.two, self.act = nn.Linear(width, width), nn.Linear(width, pick.width(9)), activation(pick)

    def forward(self, x):
        return self.two(self.act(self.one(x)))


class Features(nn.Module):
    """A second method over the same weights."""

    def __init__(self, shared):
        super().__init__()
        self.shared = shared

    def forward(self, x):
        y = self.shared.one(x)
        return y, y.softmax(-1), self.shared(y)


def several_methods(pick):
    width = pick.width(40)
    shared, x = Shared(pick, width), torch.randn(pick.randint(1, 5), width)
    calls = [("forward", (x,)), ("features", (x,)), ("forward", (x * 2,)), ("answer", ())]
    return Spec(shared, (x,), calls, methods={"features": Features(shared)}, constant_methods={"answer": 7})


FAMILIES = [branching, several_methods]
