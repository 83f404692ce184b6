"""Inception v3 and v4 from their papers, with seeded weights, for images of 299 x 299."""

import torch
from torch import nn

from model_suite.images import init_cnn
from model_suite.spec import Spec, model


def unit(i, o, kernel, stride=1, same=True):
    """Convolution, batch norm and ReLU. `kernel`: a number or (height, width)."""
    height, width = kernel if isinstance(kernel, tuple) else (kernel, kernel)
    padding = (height // 2, width // 2) if same else 0
    return nn.Sequential(nn.Conv2d(i, o, (height, width), stride, padding, bias=False), nn.BatchNorm2d(o), nn.ReLU())


class Branches(nn.Module):
    """The same image through several ways, joined along the channels."""

    def __init__(self, *ways):
        super().__init__()
        self.ways = nn.ModuleList(ways)

    def forward(self, x):
        return torch.cat([way(x) for way in self.ways], 1)


def chain(i, *units):
    """Units one after the other, each (channels, kernel[, stride, same])."""
    layers = []
    for o, *rest in units:
        layers.append(unit(i, o, *rest))
        i = o
    return nn.Sequential(*layers)


def average(i, o):
    return nn.Sequential(nn.AvgPool2d(3, 1, 1, count_include_pad=False), unit(i, o, 1))


def largest():
    return nn.MaxPool2d(3, 2)


def classifier(channels):
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, 1000)]


# ---- v3


def v3_grid_35(i, pooled):
    return Branches(unit(i, 64, 1), chain(i, (48, 1), (64, 5)), chain(i, (64, 1), (96, 3), (96, 3)), average(i, pooled))


def v3_grid_17(i, c):
    high, wide = (7, 1), (1, 7)
    return Branches(unit(i, 192, 1), chain(i, (c, 1), (c, wide), (192, high)),
                    chain(i, (c, 1), (c, high), (c, wide), (c, high), (192, wide)), average(i, 192))  # fmt: skip


def split(i, o):
    return Branches(unit(i, o, (1, 3)), unit(i, o, (3, 1)))


def v3_grid_8(i):
    return Branches(unit(i, 320, 1), nn.Sequential(unit(i, 384, 1), split(384, 384)),
                    nn.Sequential(chain(i, (448, 1), (384, 3)), split(384, 384)), average(i, 192))  # fmt: skip


def inception_v3_net() -> nn.Module:
    return nn.Sequential(
        chain(3, (32, 3, 2, False), (32, 3, 1, False), (64, 3)), largest(), chain(64, (80, 1), (192, 3, 1, False)), largest(),
        v3_grid_35(192, 32), v3_grid_35(256, 64), v3_grid_35(288, 64),
        Branches(unit(288, 384, 3, 2, False), chain(288, (64, 1), (96, 3), (96, 3, 2, False)), largest()),
        *[v3_grid_17(768, c) for c in (128, 160, 160, 192)],
        Branches(chain(768, (192, 1), (320, 3, 2, False)), chain(768, (192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2, False)),
                 largest()),
        v3_grid_8(1280), v3_grid_8(2048), *classifier(2048),
    )  # fmt: skip


# ---- v4


def v4_stem():
    return [
        chain(3, (32, 3, 2, False), (32, 3, 1, False), (64, 3)), Branches(largest(), unit(64, 96, 3, 2, False)),
        Branches(chain(160, (64, 1), (96, 3, 1, False)), chain(160, (64, 1), (64, (7, 1)), (64, (1, 7)), (96, 3, 1, False))),
        Branches(unit(192, 192, 3, 2, False), largest()),
    ]  # fmt: skip


def v4_grid_35():
    i = 384
    return Branches(average(i, 96), unit(i, 96, 1), chain(i, (64, 1), (96, 3)), chain(i, (64, 1), (96, 3), (96, 3)))


def v4_grid_17():
    i, high, wide = 1024, (7, 1), (1, 7)
    return Branches(average(i, 128), unit(i, 384, 1), chain(i, (192, 1), (224, wide), (256, high)),
                    chain(i, (192, 1), (192, wide), (224, high), (224, wide), (256, high)))  # fmt: skip


def v4_grid_8():
    i = 1536
    return Branches(average(i, 256), unit(i, 256, 1), nn.Sequential(unit(i, 384, 1), split(384, 256)),
                    nn.Sequential(chain(i, (384, 1), (448, (1, 3)), (512, (3, 1))), split(512, 256)))  # fmt: skip


def inception_v4_net() -> nn.Module:
    return nn.Sequential(
        *v4_stem(), *[v4_grid_35() for _ in range(4)],
        Branches(largest(), unit(384, 384, 3, 2, False), chain(384, (192, 1), (224, 3), (256, 3, 2, False))),
        *[v4_grid_17() for _ in range(7)],
        Branches(largest(), chain(1024, (192, 1), (192, 3, 2, False)),
                 chain(1024, (256, 1), (256, (1, 7)), (320, (7, 1)), (320, 3, 2, False))),
        *[v4_grid_8() for _ in range(3)], *classifier(1536),
    )  # fmt: skip


VARIANTS = ["portable", "xnnpack", "xnnpack_q8"]


@model
def inception_v3() -> Spec:
    return Spec(init_cnn(inception_v3_net(), (2, 3, 299, 299)), (torch.randn(1, 3, 299, 299),), VARIANTS)


@model
def inception_v4() -> Spec:
    return Spec(init_cnn(inception_v4_net(), (2, 3, 299, 299)), (torch.randn(1, 3, 299, 299),), VARIANTS)
