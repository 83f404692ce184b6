#!/usr/bin/env python3
"""Exports the small programs in tests/data/programs with the original's exporter.

    .venv-original/bin/python tools/export_fixtures.py [NAME ...]

Each program is a folder, see program_export.py. Seeds are fixed.
"""

import json
import pathlib
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from program_export import Spec, record_calls, write_program

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "programs"
PROGRAMS = {}
# Those that go through the XNNPACK partitioner.
DELEGATED = {}


def program(build):
    PROGRAMS[build.__name__] = build
    return build


def delegated(build):
    DELEGATED[build.__name__] = build
    return build


class AddMul(nn.Module):
    def forward(self, a, x, b):
        return torch.mm(a, x) + b


@program
def add_mul():
    return Spec(AddMul(), tuple(torch.randn(2, 2) for _ in range(3)))


@program
def linear():
    return Spec(nn.Linear(7, 5), (torch.randn(3, 7),))


@program
def mlp_dynamic():
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 4))
    batch = torch.export.Dim("batch", min=1, max=8)
    return Spec(net, (torch.randn(4, 16),), [(torch.randn(n, 16),) for n in (4, 1, 8, 3, 4)], dynamic_shapes=({0: batch},))


@program
def conv1d():
    net = nn.Sequential(nn.Conv1d(4, 8, 5, padding=2), nn.ReLU(), nn.Conv1d(8, 8, 3, stride=2, dilation=2), nn.Flatten())
    return Spec(net, (torch.randn(2, 4, 24),))


@program
def convnet():
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU6(), nn.Conv2d(8, 8, 3, 1, 1, groups=8, bias=False),
        nn.BatchNorm2d(8), nn.ReLU6(), nn.Conv2d(8, 12, 1), nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(12, 5),
    )  # fmt: skip
    for layer in net:
        if isinstance(layer, nn.BatchNorm2d):
            layer.running_mean.normal_()
            layer.running_var.uniform_(0.5, 2)
    return Spec(net, (torch.randn(2, 3, 16, 16),))


class Decoder(nn.Module):
    """Transposed convolutions, group norms and averages, as decoders of images have them."""

    def __init__(self):
        super().__init__()
        self.grow, self.groups = nn.ConvTranspose2d(6, 8, 3, stride=2, padding=1, output_padding=1), nn.GroupNorm(4, 8)
        self.split = nn.ConvTranspose2d(8, 4, 2, stride=2, groups=2, bias=False)
        self.batch, self.plain, self.line = nn.BatchNorm2d(4), nn.GroupNorm(2, 4, affine=False), nn.ConvTranspose1d(4, 3, 4, dilation=2)
        self.batch.running_mean.normal_()
        self.batch.running_var.uniform_(0.5, 2)

    def forward(self, x):
        x = F.silu(self.groups(self.grow(x)))
        x = F.relu(self.batch(self.split(F.avg_pool2d(x, 3, 2, 1, count_include_pad=False))))
        x = self.plain(F.avg_pool2d(x, (2, 1), divisor_override=3))
        return self.line(x.flatten(2)), F.adaptive_avg_pool2d(x, (7, 4))


@program
def decoder():
    return Spec(Decoder(), (torch.randn(2, 6, 7, 8),))


class Half(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.first, self.norm, self.second = nn.Linear(width, 32), nn.LayerNorm(32), nn.Linear(32, width, bias=False)

    def forward(self, x):
        y = self.second(F.gelu(self.norm(self.first(x)))) + x
        return torch.bmm(torch.softmax(torch.bmm(y, y.transpose(1, 2)), -1), x)


@program
def half_types():
    return Spec(Half().half(), (torch.randn(2, 5, 24).half(),), tolerance=2e-3)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])


@program
def lstm():
    return Spec(Recurrent(), (torch.randn(2, 5, 6),))


class Attention(nn.Module):
    """One causal attention block whose keys and values stay in mutable buffers."""

    def __init__(self, width=16, heads=2, length=12):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(width, width) for _ in range(4))
        self.norm = nn.LayerNorm(width)
        self.register_buffer("keys", torch.zeros(1, heads, length, width // heads))
        self.register_buffer("values", torch.zeros(1, heads, length, width // heads))
        self.register_buffer("mask", torch.full((length, length), float("-inf")).triu(1))

    def forward(self, x, position):
        y = self.norm(x)
        split = lambda t: t.view(1, -1, self.heads, t.shape[-1] // self.heads).transpose(1, 2)
        q, k, v = split(self.q(y)), split(self.k(y)), split(self.v(y))
        self.keys[:, :, position] = k
        self.values[:, :, position] = v
        y = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=self.mask[position])
        return x + self.o(y.transpose(1, 2).reshape(x.shape))


@program
def kv_cache():
    calls = [(torch.randn(1, 1, 16), torch.tensor([i])) for i in range(6)]
    return Spec(Attention(), calls[0], calls)


class Branch(nn.Module):
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))


@program
def cond():
    return Spec(Branch(), (torch.ones(3),), [(torch.ones(3),), (-torch.ones(3),), (torch.tensor([0.5, -0.25, 0.0]),)])


class Adapted(nn.Module):
    """A foundation layer with a low-rank adapter beside it."""

    def __init__(self):
        super().__init__()
        self.base, self.lora_a, self.lora_b = nn.Linear(8, 8), nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False)

    def forward(self, x):
        return self.base(x) + self.lora_b(self.lora_a(x))


@program
def two_data_files():
    from executorch.exir import ExecutorchBackendConfig

    place = lambda node: "adapter" if "lora" in node.name else "foundation"
    return Spec(Adapted(), (torch.randn(3, 8),), config=ExecutorchBackendConfig(external_constants=place))


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.full((3,), 5.0))

    def forward(self, x):
        self.total.add_(x)
        return self.total.clone()


@program
def mutable_buffer():
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass
    from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass

    config = ExecutorchBackendConfig(
        passes=[InitializedMutableBufferPass(["total"])], memory_planning_pass=MemoryPlanningPass(), emit_mutable_buffer_names=True)
    calls = [(torch.full((3,), float(i)),) for i in (1, 2, 3)]
    return Spec(Counter(), calls[0], calls, config=config)


class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(4, 4)

    def forward(self, x):
        return self.shared(x).relu()

    def twice(self, x):
        return self.shared(self.shared(x))


class Twice(nn.Module):
    def __init__(self, two):
        super().__init__()
        self.two = two

    def forward(self, x):
        return self.two.twice(x)


@program
def two_methods():
    two, x = Two(), torch.randn(2, 4)
    calls = [("forward", (x,)), ("twice", (x,)), ("answer", ())]
    return Spec(two, (x,), calls, methods={"twice": Twice(two)}, constant_methods={"answer": 42})


class ManyOutputs(nn.Module):
    def forward(self, x):
        return {"sum": x.sum(-1), "top": torch.topk(x, 2)[1], "same": x, "none": None, "number": 3}


@program
def many_outputs():
    return Spec(ManyOutputs(), (torch.randn(2, 5),))


@program
def unplanned():
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False))
    return Spec(nn.Sequential(nn.Linear(6, 6), nn.Tanh()), (torch.randn(4, 6),), config=config)


class PassedThrough(nn.Module):
    def forward(self, x):
        y = x * 2
        return x, y, y, y.sum(0)


@program
def passed_through():
    """Outputs that are an input, or the same tensor twice, none of them with memory of its own."""
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False))
    calls = [(torch.randn(3, 5),) for _ in range(3)]
    return Spec(PassedThrough(), calls[0], calls, config=config)


class HalfPrecision(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4, dtype=torch.bfloat16))

    def forward(self, x):
        return (x.to(torch.bfloat16) @ self.weight).exp()


@program
def bfloat16():
    return Spec(HalfPrecision(), (torch.randn(3, 4) / 4,))


@program
def channels_last():
    net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.AvgPool2d(2)).to(memory_format=torch.channels_last)
    return Spec(net, (torch.randn(1, 3, 6, 8).to(memory_format=torch.channels_last),))


class ChannelsLastViews(nn.Module):
    """Views of channels-last tensors: the exporter leaves them out of the instructions, or makes them share memory."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.second = nn.Conv2d(channels, channels, 1), nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        y = self.first(x)
        n, c, h, w = y.shape
        tokens = y.flatten(2).transpose(1, 2).softmax(1)
        groups = self.second(y).view(n, 2, c // 2, h, w)
        return F.pixel_shuffle(x, 2).relu(), F.channel_shuffle(y, 4), tokens, groups.sum(2), groups, torch.stack([x, y], 2).flatten(1, 2)


def channels_last_spec(module, *shapes, **options):
    calls = [(torch.randn(shape).to(memory_format=torch.channels_last),) for shape in shapes]
    return Spec(module.to(memory_format=torch.channels_last), calls[0], calls, **options)


@program
def channels_last_views():
    return channels_last_spec(ChannelsLastViews(8), (2, 8, 2, 3))


@program
def channels_last_views_dynamic():
    sizes = ({0: torch.export.Dim("batch", min=1, max=3), 3: torch.export.Dim("width", min=1, max=5)},)
    return channels_last_spec(ChannelsLastViews(8), (2, 8, 2, 3), (3, 8, 2, 5), (1, 8, 2, 1), dynamic_shapes=sizes)


@program
def channels_last_views_unplanned():
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False))
    return channels_last_spec(ChannelsLastViews(8), (2, 8, 2, 3), config=config)


class ChannelsLastState(nn.Module):
    """Views of a parameter, of a buffer before and after its update, and of a tensor that two branches read."""

    def __init__(self):
        super().__init__()
        self.kernel = nn.Parameter(torch.randn(4, 6, 2, 2))
        self.register_buffer("total", torch.zeros(2, 6, 2, 3))

    def forward(self, x):
        split = lambda t: t.unflatten(1, (2, 3))
        before = split(self.total).sum(2)
        self.total.add_(x)
        after = split(self.total).amax(2)
        doubled = split(x * 2)
        branch = torch.cond(x.sum() > 0, lambda t: t.sum(2), lambda t: t.amax(2), (doubled,))
        return before, after, branch, split(self.kernel).sum((1, 3, 4)), doubled.mean(1)


@program
def channels_last_state():
    net = ChannelsLastState()
    net.total = net.total.to(memory_format=torch.channels_last)
    spec = channels_last_spec(net, (2, 6, 2, 3), (2, 6, 2, 3), (2, 6, 2, 3))
    spec.calls[1][0].neg_()
    return spec


class ViewOfBranch(nn.Module):
    """A view of what the branches give, which the exporter leaves out of the instructions."""

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos() * 2, (x,))
        return y.view(3, 2).sum(0), y + 1


@program
def view_of_branch():
    calls = [(torch.ones(2, 3),), (-torch.ones(2, 3),), (torch.randn(2, 3).abs(),)]
    return Spec(ViewOfBranch(), calls[0], calls)


class OneChannel(nn.Module):
    """Sizes of 1, for which channels-last and row-major are the same strides."""

    def forward(self, x):
        return x.relu().clone() + 1, F.avg_pool2d(x, 4).clone(memory_format=torch.channels_last) * 2


@program
def channels_last_one_channel():
    return channels_last_spec(OneChannel(), (2, 1, 4, 4))


class Growing(nn.Module):
    def forward(self, x):
        n = x.shape[0]
        return x.view(n * 2, -1), torch.arange(n), x.nonzero()


@program
def dynamic_outputs():
    rows = torch.export.Dim("rows", min=2, max=6)
    calls = [(torch.tensor(np.arange(n * 4) % 3).view(n, 4),) for n in (3, 2, 6)]
    return Spec(Growing(), calls[0], calls, dynamic_shapes=({0: rows},))


class Scaled(nn.Module):
    def forward(self, a, x, b):
        return a * x + b


@delegated
def delegated_scale():
    return Spec(Scaled(), tuple(torch.randn(2, 2) for _ in range(3)))


class TwoDelegates(nn.Module):
    """The operator between the parts is not delegated; both parts have the same weight."""

    def __init__(self):
        super().__init__()
        self.first, self.conv = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1, groups=2)
        self.last = nn.Linear(8, 4)

    def forward(self, x):
        x = torch.relu(self.conv(torch.relu(self.first(x))))
        x = torch.erf(x)
        return self.last(self.conv(x).mean((2, 3), keepdim=True).flatten(1))


@delegated
def delegated_twice():
    batch = torch.export.Dim("batch", min=1, max=4)
    calls = [(torch.randn(n, 3, 7, 6),) for n in (3, 1, 4, 3)]
    return Spec(TwoDelegates(), calls[0], calls, dynamic_shapes=({0: batch},))


def write_delegated(spec, folder):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    folder.mkdir(parents=True, exist_ok=True)
    about = {"methods": record_calls(spec, folder), "data_files": []}
    exported = torch.export.export(spec.module, spec.inputs, **spec.export)
    edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
    with open(folder / "model.pte", "wb") as file:
        edge.to_executorch().write_to_file(file)
    (folder / "program.json").write_text(json.dumps(about, indent=1) + "\n")
    return (folder / "model.pte").stat().st_size


def export(name):
    torch.manual_seed(0)
    if name in DELEGATED:
        size = write_delegated(DELEGATED[name](), OUT / name)
    else:
        size = write_program(PROGRAMS[name](), OUT / name)
    print(f"{name}: {size} bytes")


def main():
    for name in sys.argv[1:] or [*PROGRAMS, *DELEGATED]:
        export(name)


if __name__ == "__main__":
    main()
