"""Models that AOTInductor compiles, with seeded weights."""

import atexit
import dataclasses
import functools
import pathlib
import shutil
import sys
import tempfile
from typing import Any, Callable, List, Optional, Tuple

import torch
from torch import nn

from conftest import ROOT


@dataclasses.dataclass
class Case:
    """A module, example inputs, and further inputs that the program must take."""

    build: Callable[[], nn.Module]
    inputs: Tuple[torch.Tensor, ...]
    dynamic_shapes: Optional[Any] = None
    more_inputs: List[Tuple[torch.Tensor, ...]] = dataclasses.field(default_factory=list)
    #: Takes part only where all models are asked for.
    large: bool = False


def _numbers(*sizes: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(*sizes, generator=generator)


class Mlp(nn.Module):
    """Sizes that go together in two inputs, a normalisation, and results of two types."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 128)
        self.second = nn.Linear(128, 10)

    def forward(self, x, scale):
        y = torch.log_softmax(self.second(nn.functional.gelu(self.first(x))) * scale, -1)
        return y, y.argmax(-1)


class Conv1d(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 8, 3, padding=1)
        self.norm = nn.BatchNorm1d(8)
        self.norm.running_mean.uniform_(-1, 1)
        self.norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x))).transpose(1, 2)


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, activation="gelu")

    def forward(self, x):
        return self.layer(x)


class Counter(nn.Module):
    """Keeps a running sum between calls, and looks rows up."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        self.register_buffer("total", torch.zeros(4))

    def forward(self, indices):
        self.total.add_(self.table(indices).sum(0))
        return self.total * 2


def _resnet18() -> nn.Module:
    sys.path.insert(0, str(ROOT / "tools"))
    from model_suite import images

    return images.resnet18().module


_BATCH = torch.export.Dim("batch", min=2, max=64)

CASES = {
    "mlp": Case(
        Mlp, (_numbers(8, 64), _numbers(8, 1)), ({0: _BATCH}, {0: _BATCH}),
        more_inputs=[(_numbers(n, 64), _numbers(n, 1)) for n in (2, 5, 64)],
    ),
    "conv1d": Case(Conv1d, (_numbers(2, 4, 50),)),
    "linear": Case(lambda: nn.Linear(64, 32), (_numbers(3, 64),), large=True),
    "counter": Case(Counter, (torch.tensor([1, 3]),), more_inputs=[(torch.tensor([2, 9]),)] * 2, large=True),
    "transformer": Case(Transformer, (_numbers(2, 16, 64),), large=True),
    "resnet18": Case(_resnet18, (_numbers(1, 3, 224, 224),), large=True),
}  # fmt: skip


def export(name: str):
    """The module and its exported program."""
    case = CASES[name]
    torch.manual_seed(0)
    module = case.build().eval()
    return module, torch.export.export(module, case.inputs, dynamic_shapes=case.dynamic_shapes)


@dataclasses.dataclass
class Compiled:
    module: nn.Module
    path: pathlib.Path
    #: SHA-256 of the machine code.
    digest: str


@functools.lru_cache(maxsize=None)
def _folder() -> pathlib.Path:
    folder = tempfile.mkdtemp(prefix="aoti-tests-")
    atexit.register(shutil.rmtree, folder)
    return pathlib.Path(folder)


@functools.lru_cache(maxsize=None)
def compiled(name: str) -> Compiled:
    """The eager module and its program, compiled once for all tests of a run."""
    from executorch.backends import aoti

    assert shutil.which("g++"), "AOTInductor needs a C++ compiler"
    module, program = export(name)
    (digest,) = aoti.compile(program, _folder() / f"{name}.pte")
    return Compiled(module, _folder() / f"{name}.pte", digest)
