"""Importing this loads the operators ``llama::*`` and ``preprocess::*``.

Where PyTorch is installed, ``torch.ops.llama`` and ``torch.ops.preprocess`` have them too.
"""

import importlib.util

from executorch import _operator_libraries

_names = _operator_libraries.load("kernels_llm")

if importlib.util.find_spec("torch") is not None:
    from executorch.extension.llm.custom_ops import _torch

    _torch.define(_names)
