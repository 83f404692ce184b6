"""Convolutional programs."""

import torch
from torch import nn
from torch.nn import functional as F

from generated_programs.pick import Steps, grow
from program_export import Spec

ACTIVATIONS = [nn.ReLU, nn.ReLU6, nn.Hardswish, nn.Hardsigmoid, nn.SiLU, nn.GELU, lambda: nn.GELU(approximate="tanh"),
               lambda: nn.LeakyReLU(0.1), nn.ELU, nn.Tanh, nn.Sigmoid, lambda: nn.Hardtanh(-0.5, 2.0), nn.Identity]  # fmt: skip


def activation(pick, x=None):
    return pick.choice(ACTIVATIONS)()


def norm(pick, x):
    layer = (nn.BatchNorm1d if x.dim() == 3 else nn.BatchNorm2d)(x.shape[1], affine=pick.chance(0.8))
    layer.running_mean.normal_(0, 0.3)
    layer.running_var.uniform_(0.5, 2)
    if layer.affine:
        nn.init.uniform_(layer.weight, 0.5, 1.5)
        nn.init.normal_(layer.bias, 0, 0.2)
    return layer


def divisors(pick, a, b):
    return pick.choice([g for g in range(1, min(a, b) + 1) if a % g == 0 and b % g == 0])


def convolution(pick, x, stride=None):
    rank, channels = x.dim() - 2, x.shape[1]
    kind = pick.choice(["plain", "plain", "pointwise", "depthwise", "grouped", "transposed"])
    out = pick.width()
    kernel = [1] * rank if kind == "pointwise" else [pick.choice([1, 2, 3, 3, 5, 7]) for _ in range(rank)]
    strides = [stride or pick.choice([1, 1, 2, 3]) for _ in range(rank)]
    padding = [pick.randint(0, k // 2) for k in kernel]
    dilation = [pick.choice([1, 1, 1, 2, 3]) for _ in range(rank)]
    groups = 1
    if kind == "depthwise":
        groups, out = channels, channels * pick.choice([1, 1, 2])
    elif kind == "grouped":
        groups = pick.choice([2, 3, 4])
        if channels % groups:
            groups = channels
        out = groups * pick.randint(1, 9)
    bias = pick.chance(0.6)
    if kind == "transposed":
        maker = nn.ConvTranspose1d if rank == 1 else nn.ConvTranspose2d
        extra = [pick.randint(0, s - 1) for s in strides]
        return maker(channels, out, kernel, strides, padding, extra, divisors(pick, channels, out), bias, dilation)
    maker = nn.Conv1d if rank == 1 else nn.Conv2d
    return maker(channels, out, kernel, strides, padding, dilation, groups, bias)


def pooling(pick, x):
    if x.dim() != 4:
        return nn.AvgPool1d(pick.choice([2, 3]), pick.choice([1, 2]))
    kernel = (pick.randint(1, 3), pick.randint(2, 4))
    stride, padding = pick.randint(1, 3), (pick.randint(0, kernel[0] // 2), pick.randint(0, kernel[1] // 2))
    return pick.choice([
        nn.MaxPool2d(kernel, stride, padding, pick.choice([1, 2]), ceil_mode=pick.chance(0.3)),
        nn.AvgPool2d(kernel, stride, padding, pick.chance(0.3), pick.chance(0.5)),
        nn.AdaptiveAvgPool2d((pick.randint(1, 4), pick.randint(1, 4))),
    ])  # fmt: skip


def resampling(pick, x):
    if x.dim() != 4:
        return nn.ReflectionPad1d(1)
    return pick.choice([
        nn.Upsample(scale_factor=2, mode="nearest"),
        nn.Upsample(size=(x.shape[2] + 3, x.shape[3] + 1), mode="bilinear", align_corners=pick.chance(0.5)),
        nn.ReflectionPad2d(1), nn.ReplicationPad2d((1, 0, 2, 1)), nn.ConstantPad2d((0, 1, 2, 0), 0.5),
        nn.PixelShuffle(2), nn.PixelUnshuffle(2),
    ])  # fmt: skip


class ConvBlock(Steps):
    """A convolution with what often follows it."""

    def __init__(self, pick, x):
        super().__init__()
        for make in (convolution, norm if pick.chance(0.6) else None, activation if pick.chance(0.7) else None):
            if make:
                self.append(make(pick, x).eval())
                x = self.steps[-1](x)


class Residual(nn.Module):
    """x + f(x) where f keeps the channels; the activation stands before or after the join."""

    def __init__(self, pick, x):
        super().__init__()
        channels, rank = x.shape[1], x.dim() - 2
        make = nn.Conv1d if rank == 1 else nn.Conv2d
        middle = pick.width(32)
        self.body = nn.Sequential(
            make(channels, middle, 3, padding=1), activation(pick), make(middle, channels, 1, bias=pick.chance(0.5)))
        if pick.chance(0.6):
            self.body.append(norm(pick, x))
        self.last, self.scale = activation(pick), pick.choice([None, 0.5])

    def forward(self, x):
        y = self.body(x)
        return self.last(x + y if self.scale is None else torch.add(x, y, alpha=self.scale))


class Branches(nn.Module):
    """Convolutions side by side, joined; sometimes the channels are shuffled or one part passes through."""

    def __init__(self, pick, x):
        super().__init__()
        channels, rank = x.shape[1], x.dim() - 2
        make = nn.Conv1d if rank == 1 else nn.Conv2d
        self.parts = nn.ModuleList(make(channels, pick.width(20), k, padding=k // 2) for k in pick.sample([1, 3, 5], pick.randint(1, 3)))
        self.keep, self.groups, self.last = pick.chance(0.5), pick.choice([0, 2]), activation(pick)

    def forward(self, x):
        parts = [part(x) for part in self.parts] + ([x] if self.keep else [])
        y = torch.cat(parts, 1)
        if self.groups and y.shape[1] % self.groups == 0:
            y = y.unflatten(1, (self.groups, -1)).transpose(1, 2).flatten(1, 2)
        return self.last(y)


class Offset(nn.Module):
    """A sum with a constant that broadcasts over some dims."""

    def __init__(self, pick, x):
        super().__init__()
        self.table = nn.Parameter(torch.randn([1] + [size if pick.chance(0.5) else 1 for size in x.shape[1:]]))

    def forward(self, x):
        return x + self.table


class SqueezeExcite(nn.Module):
    def __init__(self, pick, x):
        super().__init__()
        channels, middle = x.shape[1], pick.width(12)
        self.down, self.up = nn.Conv2d(channels, middle, 1), nn.Conv2d(middle, channels, 1)
        self.gate = pick.choice([nn.Hardsigmoid, nn.Sigmoid])()

    def forward(self, x):
        scale = F.adaptive_avg_pool2d(x, 1)
        return x * self.gate(self.up(F.relu(self.down(scale))))


class Head(nn.Module):
    def __init__(self, pick, x):
        super().__init__()
        self.kind = pick.choice(["mean", "flatten", "maps"])
        features = {"mean": x.shape[1], "flatten": x[0].numel(), "maps": x.shape[-1]}[self.kind]
        self.out = nn.Linear(features, pick.width(20)) if features < 4000 else nn.Identity()

    def forward(self, x):
        if self.kind == "mean":
            x = x.mean(list(range(2, x.dim())))
        elif self.kind == "flatten":
            x = x.flatten(1)
        return self.out(x)


def net(pick, x, length=None):
    makers = [ConvBlock] * 5 + [Residual] * 2 + [Branches, Offset, pooling, resampling, activation]
    if x.dim() == 4:
        makers.append(SqueezeExcite)
    steps, y = grow(pick, x, makers, length or pick.randint(2, 6))
    steps.append(Head(pick, y))
    return steps


def image_calls(pick, shape, count=2):
    return [(torch.randn(shape),) for _ in range(count)]


def convolutional_2d(pick):
    calls = image_calls(pick, (pick.randint(1, 3), pick.choice([1, 3, 4, 6]), pick.randint(6, 25), pick.randint(6, 25)))
    return Spec(net(pick, calls[0][0]), calls[0], calls)


def convolutional_1d(pick):
    calls = image_calls(pick, (pick.randint(1, 4), pick.width(12), pick.randint(9, 70)))
    return Spec(net(pick, calls[0][0]), calls[0], calls)


def convolutional_dynamic_batch(pick):
    shape = [pick.choice([1, 3, 5]), pick.randint(8, 15), pick.randint(8, 15)]
    calls = [(torch.randn(n, *shape),) for n in (3, 1, 4, 3)]
    x = calls[0][0]
    steps, y = grow(pick, x, [ConvBlock, ConvBlock, Residual, SqueezeExcite, pooling], pick.randint(2, 4))
    steps.append(nn.Flatten())
    batch = torch.export.Dim("batch", min=1, max=6)
    return Spec(steps, calls[0], calls, dynamic_shapes=({"x": {0: batch}}))


def channels_last(pick):
    shape = (pick.randint(1, 3), pick.width(9), pick.randint(6, 16), pick.randint(6, 16))
    calls = [(x.to(memory_format=torch.channels_last),) for (x,) in image_calls(pick, shape)]
    steps, _ = grow(pick, calls[0][0], [ConvBlock, ConvBlock, Residual, pooling, activation], pick.randint(2, 4))
    return Spec(steps.to(memory_format=torch.channels_last), calls[0], calls)


class UNet(nn.Module):
    """Down and up again, with joins of equal sizes and several outputs."""

    def __init__(self, pick, channels):
        super().__init__()
        a, b, c = (pick.width(24) for _ in range(3))
        self.down1, self.down2 = nn.Conv2d(channels, a, 3, padding=1), nn.Conv2d(a, b, 3, 2, 1)
        self.deep = nn.Sequential(nn.Conv2d(b, c, 3, 2, 1), activation(pick), nn.Conv2d(c, c, 3, padding=2, dilation=2))
        self.up2, self.up1 = nn.ConvTranspose2d(c, b, 2, 2), nn.ConvTranspose2d(2 * b, a, 4, 2, 1)
        self.last = nn.Conv2d(2 * a, pick.randint(1, 4), 1)
        self.act, self.deep_out = activation(pick), pick.chance(0.5)

    def forward(self, x):
        one = self.act(self.down1(x))
        two = self.act(self.down2(one))
        three = self.deep(two)
        up = torch.cat([two, self.up2(three)], 1)
        up = self.last(torch.cat([F.relu(self.up1(up)), one], 1))
        return (up, three) if self.deep_out else up.sigmoid()


def unet(pick):
    channels = pick.choice([1, 3])
    calls = image_calls(pick, (pick.randint(1, 2), channels, 4 * pick.randint(2, 5), 4 * pick.randint(2, 5)))
    return Spec(UNet(pick, channels), calls[0], calls)


FAMILIES = [convolutional_2d, convolutional_1d, convolutional_dynamic_batch, channels_last, unet]
