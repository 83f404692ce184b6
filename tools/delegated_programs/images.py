"""Convolutions, pooling, resizing and padding of images."""

import torch
from torch import nn
from torch.nn import functional as F

from delegated_programs.method import Method, odd_numbers, random


def convolution(dtype):
    image = random(dtype, 2, 6, 9, 8)
    layers = {
        "plain": nn.Conv2d(6, 7, 3), "padded": nn.Conv2d(6, 5, 3, padding=1), "strided": nn.Conv2d(6, 9, (3, 2), stride=(2, 3), padding=(1, 0)),
        "dilated": nn.Conv2d(6, 4, 3, dilation=2, padding=2), "pointwise": nn.Conv2d(6, 16, 1), "no_bias": nn.Conv2d(6, 4, 3, bias=False),
        "grouped": nn.Conv2d(6, 8, 3, groups=2, padding=1), "depthwise": nn.Conv2d(6, 6, 3, groups=6, padding=1),
        "depth_multiplier": nn.Conv2d(6, 12, 3, groups=6, stride=2, padding=1), "large_kernel": nn.Conv2d(6, 4, 7, padding=3),
        "same_even": nn.Conv2d(6, 4, (2, 4), padding="same"), "relu": nn.Sequential(nn.Conv2d(6, 5, 3), nn.ReLU()),
        "relu6": nn.Sequential(nn.Conv2d(6, 6, 3, groups=6), nn.ReLU6()), "hardtanh": nn.Sequential(nn.Conv2d(6, 5, 1), nn.Hardtanh(-0.1, 0.2)),
        "batch_norm": nn.Sequential(nn.Conv2d(6, 5, 3, bias=False), nn.BatchNorm2d(5), nn.ReLU()),
    }  # fmt: skip
    layers["batch_norm"][1].running_mean.copy_(torch.randn(5))
    layers["batch_norm"][1].running_var.uniform_(0.5, 2)
    for name, layer in layers.items():
        yield Method(f"conv_{name}", layer.to(dtype), (image,))
    line = random(dtype, 2, 6, 19)
    for name, layer in {"1d": nn.Conv1d(6, 8, 3, padding=1), "1d_strided": nn.Conv1d(6, 8, 5, stride=2, dilation=2),
                        "1d_depthwise": nn.Conv1d(6, 6, 3, groups=6)}.items():  # fmt: skip
        yield Method(f"conv_{name}", layer.to(dtype), (line,))


def transposed(dtype):
    image = random(dtype, 2, 6, 5, 4)
    for name, layer in {
        "plain": nn.ConvTranspose2d(6, 5, 3), "strided": nn.ConvTranspose2d(6, 5, 3, stride=2, padding=1, output_padding=1),
        "grouped": nn.ConvTranspose2d(6, 4, 2, stride=2, groups=2), "no_bias": nn.ConvTranspose2d(6, 5, (4, 3), stride=(2, 1), bias=False),
        "dilated": nn.ConvTranspose2d(6, 3, 3, dilation=2),
    }.items():  # fmt: skip
        yield Method(name, layer.to(dtype), (image,))


class Block(nn.Module):
    """Layers that exchange images, with a branch around."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(5, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.last = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        x = F.hardswish(self.first(x))
        y = self.last(torch.relu(self.second(x)))
        return torch.cat([x + y, y * y.sigmoid(), x[:, 2:5]], 1).mean((2, 3), keepdim=True)


def pooling(dtype):
    image = random(dtype, 2, 5, 9, 8)
    odd = odd_numbers(dtype, 2, 5, 9, 8)
    functions = {
        "max": lambda x: F.max_pool2d(x, 2), "max_padded": lambda x: F.max_pool2d(x, 3, 2, 1), "max_ceil": lambda x: F.max_pool2d(x, 2, 2, ceil_mode=True),
        "max_dilated": lambda x: F.max_pool2d(x, 2, 1, dilation=2), "average": lambda x: F.avg_pool2d(x, 2),
        "average_padded": lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), "mean": lambda x: x.mean((2, 3), keepdim=True),
        "amax": lambda x: x.max(dim=3, keepdim=True).values, "bilinear": lambda x: F.interpolate(x, size=(13, 5), mode="bilinear"),
        "bilinear_corners": lambda x: F.interpolate(x, size=(18, 16), mode="bilinear", align_corners=True),
        "pad": lambda x: F.pad(x, (1, 2, 0, 3), value=0.5),
    }  # fmt: skip
    for name, function in functions.items():
        plain = name.startswith(("bilinear", "average", "mean"))
        yield Method(name, function, (image,), [(image,)] if plain else [(image,), (odd,)])
    yield Method("block", Block().to(dtype), (image,))


def changing_batch(dtype):
    batch = torch.export.Dim("batch", min=1, max=6)
    net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 4, 3, stride=2)).to(dtype)
    images = [(random(dtype, n, 3, 9, 7),) for n in (4, 1, 6, 2, 6)]
    yield Method("two_convolutions", net, images[0], images, ({0: batch},))
    net = nn.Sequential(nn.Linear(9, 16), nn.GELU(), nn.Linear(16, 5)).to(dtype)
    if dtype == torch.float32:
        rows = [(random(dtype, n, 9),) for n in (3, 6, 1, 6)]
        yield Method("two_linears", net, rows[0], rows, ({0: batch},))


GROUPS = {"convolution": convolution, "transposed": transposed, "pooling": pooling, "changing_batch": changing_batch}
