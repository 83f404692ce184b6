"""Loads the operator libraries and delegates that a program asks for by import."""

import ctypes
import pathlib

from executorch.extension.pybindings import _portable_lib

_FOLDER = pathlib.Path(__file__).resolve().parent / "lib"
# The file and the namespaces of its operators, by the name of the component.
_LIBRARIES = {
    "kernels_quantized": ("libexecutorch_kernels_quantized.so", ("quantized_decomposed::",)),
    "kernels_llm": ("libexecutorch_kernels_llm.so", ("llama::", "preprocess::")),
}

# The file and the name in programs.
_DELEGATES = {"backend_aoti_cpu": ("libexecutorch_backend_aoti_cpu.so", "AotiCpuBackend")}


def load(component: str) -> list[str]:
    """Loads a library, whose operators register then, and returns their names. Again is harmless."""
    file, namespaces = _LIBRARIES[component]
    ctypes.CDLL(str(_FOLDER / file))
    names = [name for name in _portable_lib._get_operator_names() if name.startswith(namespaces)]
    if not names:
        raise ImportError(f"{file} registered no operators: {_portable_lib._last_error_message()}")
    return names


def load_delegate(component: str) -> None:
    """Loads a delegate, which registers then. Again is harmless."""
    file, name = _DELEGATES[component]
    ctypes.CDLL(str(_FOLDER / file))
    if name not in _portable_lib._get_registered_backend_names():
        raise ImportError(f"{file} registered no delegate: {_portable_lib._last_error_message()}")


def load_all() -> None:
    """Loads every library of this package, and leaves PyTorch alone."""
    for component in _LIBRARIES:
        load(component)
    for component in _DELEGATES:
        load_delegate(component)
