"""The runtime of this process: its registries, its threads, and loading."""

from __future__ import annotations

import functools
import os
from typing import Any, BinaryIO, List, Mapping, Optional, Sequence, Set, Union

from executorch.extension.pybindings import portable_lib
from executorch.extension.pybindings.portable_lib import Verification
from executorch.runtime._program import PathOrBytes, Program, _Source


class BackendRegistry:
    """The delegates of this process."""

    @property
    def registered_backend_names(self) -> List[str]:
        return portable_lib._get_registered_backend_names()

    def is_available(self, backend_name: str) -> bool:
        return portable_lib._is_available(backend_name)


class OperatorRegistry:
    """The operators of this process."""

    @property
    def operator_names(self) -> Set[str]:
        return set(portable_lib._get_operator_names())


class Runtime:
    """The runtime of this process. There is one: ``Runtime.get()``."""

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def get() -> Runtime:
        return Runtime()

    def __init__(self) -> None:
        self.backend_registry = BackendRegistry()
        self.operator_registry = OperatorRegistry()

    @property
    def num_threads(self) -> int:
        """Threads that a run may use. May be set while no method runs."""
        return portable_lib._threadpool_get_thread_count()

    @num_threads.setter
    def num_threads(self, count: int) -> None:
        portable_lib._unsafe_reset_threadpool(count)

    def load_program(
        self,
        data: Union[PathOrBytes, BinaryIO],
        *,
        verification: Verification = Verification.InternalConsistency,
        enable_etdump: bool = False,
        debug_buffer_size: int = 0,
        data_path: Union[PathOrBytes, Sequence[PathOrBytes], None] = None,
        plan: bool = True,
        memory_limit: Optional[int] = None,
        plan_memory_limit: Optional[int] = None,
        cache_dir: Union[str, os.PathLike, None] = None,
        cache_limit: Optional[int] = None,
        backend_options: Optional[Mapping[str, Mapping[str, Union[bool, int, str]]]] = None,
    ) -> Program:
        """Loads a program. A file is mapped, not read.

        Args:
            data: A path, bytes, or an object with ``read()``. Bytes are used in place; memory that may be written is
                copied.
            verification: Levels may add checks; memory safety is checked at every level.
            enable_etdump: Record profiles, see ``Program.write_etdump_result_to_file``.
            debug_buffer_size: Bytes for intermediate results in the profile; 0 leaves them out.
            data_path: One ``.ptd`` file (path or bytes), or a list of them.
            plan: Rewrite methods at load for speed (packed weights, fused steps). False runs every instruction as the
                program has it.
            memory_limit: Most bytes of planned memory and plan; a method that needs more is refused.
            plan_memory_limit: Most bytes that planning may hold; over it, instructions stay as they are.
            cache_dir: Folder through which the processes of a host share packed weights: the first to load a model
                writes them, the others map one copy. Only who is trusted may write there. None takes
                ``EXECUTORCH_CACHE_DIR`` from the environment, "" none.
            cache_limit: Most bytes of that folder's files together, 16 GiB by default: what was used least recently
                makes room, but nothing used in the last ten minutes.
            backend_options: Settings of delegates by their names: ``{"AotiCpuBackend": {"allow_native_code": True}}``.
        """
        if hasattr(data, "read"):
            data = data.read()
            if isinstance(data, str):
                raise TypeError("expected a file opened in binary mode, got text")
        if not isinstance(data, (str, os.PathLike, bytes, bytearray, memoryview)):
            raise TypeError(f"expected a path, bytes, or an object with read(), got {type(data).__name__}")
        if isinstance(data, bytearray) or (isinstance(data, memoryview) and not data.readonly):
            data = bytes(data)
        options: dict[str, Any] = dict(
            program_verification=verification,
            enable_etdump=enable_etdump,
            debug_buffer_size=debug_buffer_size,
            plan=plan,
            memory_limit=memory_limit,
            plan_memory_limit=plan_memory_limit,
            cache_dir=None if cache_dir is None else os.fspath(cache_dir),
            cache_limit=cache_limit,
            backend_options=None if backend_options is None else {name: dict(keys) for name, keys in backend_options.items()},
        )
        return Program(_Source(data, data_path, options))
