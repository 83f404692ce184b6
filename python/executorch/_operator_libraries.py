"""Loads the operator libraries that a program asks for by import."""

import ctypes
import pathlib

from executorch.extension.pybindings import _portable_lib

_FOLDER = pathlib.Path(__file__).resolve().parent / "lib"


def load(library: str, *namespaces: str) -> list[str]:
    """Loads a library of this package, whose operators register then, and returns their names. Again is harmless."""
    prefixes = tuple(f"{namespace}::" for namespace in namespaces)
    ctypes.CDLL(str(_FOLDER / library))
    names = [name for name in _portable_lib._get_operator_names() if name.startswith(prefixes)]
    if not names:
        raise ImportError(f"{library} registered no operators: {_portable_lib._last_error_message()}")
    return names
