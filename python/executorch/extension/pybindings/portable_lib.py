"""Loads and runs programs: the names of the original's ``portable_lib``, on the native runtime.

``executorch.runtime`` is the friendlier interface over the same objects.
"""

from executorch.extension.pybindings import _portable_lib
from executorch.extension.pybindings._portable_lib import (
    ExecuTorchError,
    ExecuTorchIndexError,
    ExecuTorchKeyError,
    ExecuTorchMethod,
    ExecuTorchModule,
    ExecuTorchProgram,
    MethodMeta,
    Tensor,
    TensorInfo,
    Verification,
    _get_operator_names,
    _get_registered_backend_names,
    _is_available,
    _load_for_executorch,
    _load_for_executorch_from_buffer,
    _load_program,
    _load_program_from_buffer,
    _threadpool_get_thread_count,
    _unsafe_reset_threadpool,
)

__all__ = [
    "ExecuTorchError",
    "ExecuTorchIndexError",
    "ExecuTorchKeyError",
    "ExecuTorchMethod",
    "ExecuTorchModule",
    "ExecuTorchProgram",
    "MethodMeta",
    "Tensor",
    "TensorInfo",
    "Verification",
    "_get_operator_names",
    "_get_registered_backend_names",
    "_is_available",
    "_load_for_executorch",
    "_load_for_executorch_from_buffer",
    "_load_program",
    "_load_program_from_buffer",
    "_threadpool_get_thread_count",
    "_unsafe_reset_threadpool",
]
