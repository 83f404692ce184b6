"""Image classifiers from their papers, with seeded weights: MobileNet V2 and V3, ResNet 18 and 50."""

import torch
from torch import nn
from torch.nn import functional as F

from model_suite.spec import Spec, model


def conv_bn(i, o, k, s=1, g=1, act=None):
    layers = [nn.Conv2d(i, o, k, s, (k - 1) // 2, groups=g, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, *([act()] if act else []))


class InvertedResidual(nn.Module):
    def __init__(self, i, o, stride, expand):
        super().__init__()
        h = i * expand
        self.skip = stride == 1 and i == o
        body = [conv_bn(i, h, 1, act=nn.ReLU6)] if expand != 1 else []
        self.body = nn.Sequential(*body, conv_bn(h, h, 3, stride, g=h, act=nn.ReLU6), conv_bn(h, o, 1))

    def forward(self, x):
        return x + self.body(x) if self.skip else self.body(x)


def mobilenet_v2_net() -> nn.Module:
    layers, c = [conv_bn(3, 32, 3, 2, act=nn.ReLU6)], 32
    for t, o, n, s in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for k in range(n):
            layers.append(InvertedResidual(c, o, s if k == 0 else 1, t))
            c = o
    layers += [conv_bn(320, 1280, 1, act=nn.ReLU6), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, 1000)]
    return nn.Sequential(*layers)


class Excite(nn.Module):
    """Squeeze and excitation: a factor for each channel, from the averages of all."""

    def __init__(self, channels):
        super().__init__()
        narrow = max(8, (channels // 4 + 4) // 8 * 8)
        self.factors = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, narrow, 1), nn.ReLU(),
                                     nn.Conv2d(narrow, channels, 1), nn.Hardsigmoid())  # fmt: skip

    def forward(self, x):
        return x * self.factors(x)


class ExcitedResidual(nn.Module):
    """MobileNetV3's bottleneck: expand, depthwise, excite, project."""

    def __init__(self, i, kernel, hidden, o, excite, act, stride):
        super().__init__()
        self.skip = stride == 1 and i == o
        body = [conv_bn(i, hidden, 1, act=act)] if hidden != i else []
        body += [conv_bn(hidden, hidden, kernel, stride, g=hidden, act=act), *([Excite(hidden)] if excite else [])]
        self.body = nn.Sequential(*body, conv_bn(hidden, o, 1))

    def forward(self, x):
        return x + self.body(x) if self.skip else self.body(x)


def mobilenet_v3_small_net() -> nn.Module:
    relu, swish = nn.ReLU, nn.Hardswish
    blocks = [(3, 16, 16, True, relu, 2), (3, 72, 24, False, relu, 2), (3, 88, 24, False, relu, 1), (5, 96, 40, True, swish, 2),
              (5, 240, 40, True, swish, 1), (5, 240, 40, True, swish, 1), (5, 120, 48, True, swish, 1), (5, 144, 48, True, swish, 1),
              (5, 288, 96, True, swish, 2), (5, 576, 96, True, swish, 1), (5, 576, 96, True, swish, 1)]  # fmt: skip
    layers, c = [conv_bn(3, 16, 3, 2, act=swish)], 16
    for kernel, hidden, o, excite, act, stride in blocks:
        layers.append(ExcitedResidual(c, kernel, hidden, o, excite, act, stride))
        c = o
    layers += [conv_bn(c, 576, 1, act=swish), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(576, 1024), nn.Hardswish(),
               nn.Linear(1024, 1000)]  # fmt: skip
    return nn.Sequential(*layers)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, i, o, s):
        super().__init__()
        self.body = nn.Sequential(conv_bn(i, o, 3, s, act=nn.ReLU), conv_bn(o, o, 3))
        self.down = conv_bn(i, o, 1, s) if s != 1 or i != o else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.down(x))


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, i, o, s):
        super().__init__()
        self.body = nn.Sequential(conv_bn(i, o, 1, act=nn.ReLU), conv_bn(o, o, 3, s, act=nn.ReLU), conv_bn(o, 4 * o, 1))
        self.down = conv_bn(i, 4 * o, 1, s) if s != 1 or i != 4 * o else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.down(x))


def resnet_net(block, counts) -> nn.Module:
    layers, c = [conv_bn(3, 64, 7, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1)], 64
    for k, n in enumerate(counts):
        for j in range(n):
            layers.append(block(c, 64 << k, 2 if k and not j else 1))
            c = (64 << k) * block.expansion
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(c, 1000)]
    return nn.Sequential(*layers)


def init_cnn(net: nn.Module, shape=(4, 3, 224, 224)) -> nn.Module:
    """He init plus batch-norm statistics measured on random images: activations as tame as a trained net's."""
    for m in net.modules():
        if isinstance(m, nn.Conv2d):
            nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(m, nn.BatchNorm2d):
            m.momentum = None
            nn.init.uniform_(m.weight, 0.5, 1.0)
            nn.init.normal_(m.bias, 0.0, 0.1)
    net.train()
    with torch.no_grad():
        net(torch.randn(*shape))
    return net.eval()


CNN_VARIANTS = ["portable", "xnnpack", "xnnpack_q8", "onnx", "aoti"]


@model
def mobilenet_v2() -> Spec:
    return Spec(init_cnn(mobilenet_v2_net()), (torch.randn(1, 3, 224, 224),), CNN_VARIANTS + ["quantized_portable"])


@model
def mobilenet_v3() -> Spec:
    return Spec(init_cnn(mobilenet_v3_small_net()), (torch.randn(1, 3, 224, 224),), CNN_VARIANTS, note="the small one")


@model
def resnet18() -> Spec:
    return Spec(init_cnn(resnet_net(BasicBlock, [2, 2, 2, 2])), (torch.randn(1, 3, 224, 224),), CNN_VARIANTS)


@model
def resnet50() -> Spec:
    return Spec(init_cnn(resnet_net(Bottleneck, [3, 4, 6, 3])), (torch.randn(1, 3, 224, 224),), CNN_VARIANTS)
