"""Programs and methods."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, List, Optional, Sequence, Union

from executorch.extension.pybindings import portable_lib
from executorch.extension.pybindings.portable_lib import (
    ExecuTorchKeyError,
    ExecuTorchMethod,
    ExecuTorchProgram,
    MethodMeta,
    Verification,
)

PathOrBytes = Union[str, os.PathLike, bytes, bytearray, memoryview]


@dataclass(frozen=True)
class _Source:
    """Where a program comes from and how it is opened: all that another process needs to open it again."""

    data: Any
    data_path: Any = None
    options: dict = field(default_factory=dict)

    def open(self) -> ExecuTorchProgram:
        if isinstance(self.data, (str, os.PathLike)):
            return portable_lib._load_program(os.fspath(self.data), data_path=self.data_path, **self.options)
        return portable_lib._load_program_from_buffer(self.data, data_path=self.data_path, **self.options)

    def pickled(self) -> tuple:
        """Paths travel as path and digest, bytes as they are."""
        data_path = self.data_path
        if isinstance(data_path, (list, tuple)):
            data_path = [_freeze(item) for item in data_path]
        elif data_path is not None:
            data_path = _freeze(data_path)
        options = dict(self.options)
        options["program_verification"] = int(options["program_verification"])
        return _freeze(self.data), data_path, options


def _digest(path: str) -> str:
    import hashlib

    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _freeze(data: PathOrBytes) -> tuple:
    if isinstance(data, (str, os.PathLike)):
        path = os.path.abspath(os.fspath(data))
        return ("path", path, _digest(path))
    return ("bytes", bytes(data), None)


def _thaw(frozen: tuple) -> PathOrBytes:
    kind, data, digest = frozen
    if kind == "path" and _digest(data) != digest:
        raise RuntimeError(f"{data} has changed since the program was pickled: expected SHA-256 {digest}, found {_digest(data)}")
    return data


def _unpickle_program(data: tuple, data_path: Any, options: dict) -> Program:
    if isinstance(data_path, list):
        data_path = [_thaw(item) for item in data_path]
    elif data_path is not None:
        data_path = _thaw(data_path)
    options = dict(options, program_verification=Verification(options["program_verification"]))
    return Program(_Source(_thaw(data), data_path, options))


def _unpickle_method(source: tuple, name: str) -> Method:
    return _unpickle_program(*source).load_method(name)


class Method:
    """A loaded method. Safe to call from several threads, which take turns. Pickles as its program's source and its
    name; the copy has a program of its own."""

    def __init__(self, method: ExecuTorchMethod, source: _Source, name: str) -> None:
        self._method = method
        self._source = source
        self._name = name

    def __reduce__(self):
        return _unpickle_method, (self._source.pickled(), self._name)

    def execute(self, inputs: Sequence[Any], *, timeout: Optional[float] = None) -> Sequence[Any]:
        """Runs the method.

        Args:
            inputs: A flat sequence, in the order of export. A single tensor may be given bare.
            timeout: Seconds after which the run ends with an error, between two steps. None: no limit.

        Returns:
            The outputs, flat, in memory of their own.
        """
        return self._method(inputs, timeout=timeout)

    @property
    def metadata(self) -> MethodMeta:
        """Kinds, shapes and types of inputs and outputs."""
        return self._method.method_meta()

    @property
    def plan(self) -> List[str]:
        """What planning did when the method was loaded, a line each."""
        return self._method._plan_report()


class Program:
    """A loaded and verified program. Pickles as its path and digest, so that worker processes can take it."""

    def __init__(self, source: _Source) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._program = source.open()
        self._methods = {self._program.get_method_name(i): None for i in range(self._program.num_methods())}

    def __reduce__(self):
        return _unpickle_program, self._source.pickled()

    @property
    def method_names(self) -> set:
        """Names of all methods."""
        return set(self._methods)

    def load_method(self, name: str) -> Method:
        """Loads a method, or returns it when it was loaded before.

        Methods of one program share their planned memory, as programs exported with shared mutable buffers expect:
        running one may change what another keeps between runs.

        Raises:
            KeyError: the program has no such method.
        """
        if name not in self._methods:
            raise ExecuTorchKeyError(f"the program has no method {name!r}: it has {', '.join(sorted(self._methods)) or 'none'}")
        if self._methods[name] is None:
            # Two threads may load it at the same time: both get the one that is first to finish.
            method = Method(self._program.load_method(name), self._source, name)
            with self._lock:
                self._methods[name] = self._methods[name] or method
        return self._methods[name]

    def metadata(self, method_name: str) -> MethodMeta:
        """Kinds, shapes and types of a method's inputs and outputs; works without its operators."""
        return self._program.method_meta(method_name)

    def write_etdump_result_to_file(self, etdump_path: Union[str, Path], debug_buffer_path: Union[str, Path, None] = None) -> None:
        """Writes what was profiled since the last call. Needs ``enable_etdump=True`` at load."""
        self._program.write_etdump_result_to_file(
            os.fspath(etdump_path), None if debug_buffer_path is None else os.fspath(debug_buffer_path)
        )
