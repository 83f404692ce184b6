"""Random choices, and growing a program step by step."""

import random

import torch
from torch import nn


class Pick(random.Random):
    """Choices of one program."""

    def chance(self, probability):
        return self.random() < probability

    def width(self, most=40):
        """A channel count: mostly odd or no multiple of a vector."""
        return min(most, self.choice([1, 2, 3, 5, 7, 9, 11, 13, 16, 17, 19, 24, 29, 31, 33, 37, 40, 47, 63, 65, 72, 96, 100, 130]))

    def shape(self, rank, elements=3000):
        sizes = [1] * rank
        for i in self.sample(range(rank), rank):
            product = 1
            for size in sizes:
                product *= size
            sizes[i] = self.randint(1, max(1, min(self.choice([3, 7, 18, 67]), elements // product)))
        return sizes


class Steps(nn.Module):
    """Functions of one tensor, one after the other; those that are modules are registered."""

    def __init__(self):
        super().__init__()
        self.steps, self.modules_of_steps = [], nn.ModuleList()

    def append(self, step):
        self.steps.append(step)
        if isinstance(step, nn.Module):
            self.modules_of_steps.append(step)

    def forward(self, x):
        for step in self.steps:
            x = step(x)
        return x


def grow(pick, example, makers, length, limit=40000):
    """Steps that fit the example: makers are called with (pick, current tensor); what fails or grows too much is left out."""
    steps, x = Steps(), example
    for _ in range(length * 4):
        if len(steps.steps) == length:
            break
        try:
            step = pick.choice(makers)(pick, x)
            if isinstance(step, nn.Module):
                step.eval().requires_grad_(False)
            with torch.no_grad():
                y = step(x)
        except (RuntimeError, ValueError, IndexError, TypeError):
            continue
        if 0 < y.numel() <= limit:
            steps.append(step)
            x = y
    return steps, x
