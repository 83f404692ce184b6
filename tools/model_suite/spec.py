"""What an entry of the model suite is."""

import dataclasses
import importlib.util
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch
from torch import nn

SEED = 20240


def hide_torchvision() -> None:
    """transformers imports torchvision if it is installed; a torchvision built for another torch fails to import."""
    real = importlib.util.find_spec

    def find_spec(name, package=None):
        return None if name.split(".")[0] == "torchvision" else real(name, package)

    importlib.util.find_spec = find_spec


@dataclasses.dataclass
class Spec:
    """An eval-mode module, positional example inputs and the variants worth exporting."""

    module: nn.Module
    inputs: Tuple[torch.Tensor, ...]
    variants: List[str]
    dynamic_shapes: Optional[Any] = None
    note: str = ""
    stateful: bool = False
    # stateful models: inputs of consecutive calls, to check that state survives between calls
    sequence: Optional[List[Tuple[torch.Tensor, ...]]] = None
    # decoders of (token [1, 1], position [1]): calls after the sequence, each with the likeliest token of the one before
    greedy: int = 0
    # further input sets that a dynamic-shape program must accept
    extra_inputs: Optional[List[Tuple[torch.Tensor, ...]]] = None


SUITE: Dict[str, Callable[[], Spec]] = {}


def model(fn: Callable[[], Spec]) -> Callable[[], Spec]:
    """Adds a model to the suite under the function's name. Building it is deterministic."""

    def build() -> Spec:
        torch.manual_seed(SEED)
        spec = fn()
        # No gradients: exporting in-place cache updates of parameters that want them fails.
        spec.module.eval().requires_grad_(False)
        return spec

    SUITE[fn.__name__] = build
    return build


class First(nn.Module):
    """Keeps `fn(model, *inputs)` a plain tensor-to-tensor forward."""

    def __init__(self, inner, fn):
        super().__init__()
        self.inner, self.fn = inner, fn

    def forward(self, *args):
        return self.fn(self.inner, *args)
