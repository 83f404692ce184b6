"""Small programs: a product and a sum, perceptrons, one-dimensional convolutions, an LSTM."""

import torch
from torch import nn

from model_suite.spec import Spec, model


class AddMul(nn.Module):
    def forward(self, a, x, b):
        return torch.mm(a, x) + b


@model
def add_mul() -> Spec:
    return Spec(AddMul(), (torch.randn(2, 2), torch.randn(2, 2), torch.randn(2, 2)), ["portable", "xnnpack", "onnx", "aoti"])


def _mlp() -> nn.Module:
    return nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 64))


@model
def mlp() -> Spec:
    return Spec(_mlp(), (torch.randn(8, 256),), ["portable", "xnnpack", "xnnpack_q8", "quantized_portable", "8da4w", "onnx", "aoti"])


@model
def mlp_dyn() -> Spec:
    batch = torch.export.Dim("batch", min=1, max=64)
    return Spec(
        _mlp(), (torch.randn(8, 256),), ["portable", "xnnpack", "onnx", "aoti"],
        dynamic_shapes=({0: batch},), note="dynamic batch 1..64",
        extra_inputs=[(torch.randn(1, 256),), (torch.randn(33, 256),), (torch.randn(64, 256),)],
    )


@model
def conv1d() -> Spec:
    net = nn.Sequential(
        nn.Conv1d(16, 64, 5, padding=2), nn.ReLU(), nn.Conv1d(64, 64, 3, stride=2, padding=1), nn.ReLU(),
        nn.Conv1d(64, 128, 3, padding=2, dilation=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(128, 10),
    )
    return Spec(net, (torch.randn(1, 16, 512),), ["portable", "xnnpack", "onnx", "aoti"])


@model
def conv1d_pairs() -> Spec:
    net = nn.Sequential(nn.Conv1d(16, 32, 5, padding=2), nn.BatchNorm1d(32), nn.Conv1d(32, 24, 3), nn.BatchNorm1d(24))
    for layer in net[1::2]:
        nn.init.uniform_(layer.weight, 0.5, 1.5)
        nn.init.normal_(layer.bias, 0, 0.2)
        nn.init.normal_(layer.running_mean, 0, 0.2)
        nn.init.uniform_(layer.running_var, 0.5, 1.5)
    batch = torch.export.Dim("batch", min=2, max=10)
    return Spec(
        net, (torch.randn(10, 16, 60),), ["portable", "xnnpack", "xnnpack_q8"], dynamic_shapes=({0: batch},),
        note="convolution and batch norm, twice; dynamic batch 2..10",
        extra_inputs=[(torch.randn(n, 16, 60),) for n in (2, 7, 3)],
    )


class LSTM(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 128, num_layers=2, batch_first=True)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        y, _ = self.lstm(x)
        return self.head(y[:, -1])


@model
def lstm() -> Spec:
    return Spec(LSTM(), (torch.randn(1, 24, 64),), ["portable", "xnnpack", "onnx", "aoti"], note="2 layers, 24 steps unrolled")
