"""Importing this loads the operators ``quantized_decomposed::*``.

Where PyTorch is installed, ``torch.ops.quantized_decomposed`` has them too; those that ``torch.ao`` defines stay as they
are.
"""

import importlib.util

from executorch import _operator_libraries

_names = _operator_libraries.load("kernels_quantized")

if importlib.util.find_spec("torch") is not None:
    from executorch.kernels.quantized import _torch

    _torch.define(_names)
