"""Loads ExecuTorch programs and runs their methods.

>>> from executorch.runtime import Runtime
>>> program = Runtime.get().load_program("model.pte")
>>> outputs = program.load_method("forward").execute([array])

Inputs are numpy arrays, torch tensors, other DLPack producers and numbers. Outputs are torch tensors when torch is
imported, else numpy arrays. Loading and running release the Python lock; calls of one program take turns.
"""

from executorch.extension.pybindings.portable_lib import (
    ExecuTorchMethod,
    ExecuTorchProgram,
    MethodMeta,
    Verification,
)
from executorch.runtime._program import Method, Program
from executorch.runtime._runtime import BackendRegistry, OperatorRegistry, Runtime

__all__ = [
    "BackendRegistry",
    "ExecuTorchMethod",
    "ExecuTorchProgram",
    "Method",
    "MethodMeta",
    "OperatorRegistry",
    "Program",
    "Runtime",
    "Verification",
]
