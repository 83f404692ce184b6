"""Loads and runs programs: the names of the original's ``portable_lib``, on the native runtime.

``executorch.runtime`` is the friendlier interface over the same objects.
"""

from executorch import _accelerators
from executorch.extension.pybindings import _portable_lib
from executorch.extension.pybindings._portable_lib import (
    BundledModule,
    ExecuTorchError,
    ExecuTorchIndexError,
    ExecuTorchKeyError,
    ExecuTorchMethod,
    ExecuTorchModule,
    ExecuTorchProgram,
    MethodMeta,
    PyDataLoader,
    Tensor,
    TensorInfo,
    Verification,
    _create_profile_block,
    _dump_profile_results,
    _get_operator_names,
    _get_registered_backend_names,
    _is_available,
    _load_bundled_program_from_buffer,
    _load_for_executorch,
    _load_for_executorch_from_buffer,
    _load_for_executorch_from_bundled_program,
    _load_for_executorch_from_data_loader,
    _load_program,
    _load_program_from_buffer,
    _reset_profile_results,
    _threadpool_get_thread_count,
    _unsafe_reset_threadpool,
)

_accelerators.load_present()

__all__ = [
    "BundledModule",
    "ExecuTorchError",
    "ExecuTorchIndexError",
    "ExecuTorchKeyError",
    "ExecuTorchMethod",
    "ExecuTorchModule",
    "ExecuTorchProgram",
    "MethodMeta",
    "PyDataLoader",
    "Tensor",
    "TensorInfo",
    "Verification",
    "_create_profile_block",
    "_dump_profile_results",
    "_get_operator_names",
    "_get_registered_backend_names",
    "_is_available",
    "_load_bundled_program_from_buffer",
    "_load_for_executorch",
    "_load_for_executorch_from_buffer",
    "_load_for_executorch_from_bundled_program",
    "_load_for_executorch_from_data_loader",
    "_load_program",
    "_load_program_from_buffer",
    "_reset_profile_results",
    "_threadpool_get_thread_count",
    "_unsafe_reset_threadpool",
]
