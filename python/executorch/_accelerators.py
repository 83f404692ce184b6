"""Loads the delegates of accelerators that this package was built with, which register then."""

import ctypes
import os

_LIBRARIES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
_DELEGATES = ("libexecutorch_backend_cuda.so",)


def load_present() -> None:
    """Loads those that are here. One that cannot be loaded is reported, and leaves everything else as it is."""
    for file in _DELEGATES:
        path = os.path.join(_LIBRARIES, file)
        if not os.path.exists(path):
            continue
        try:
            ctypes.CDLL(path)
        except OSError as error:
            import logging

            logging.getLogger(__name__).warning("%s was not loaded, programs for it will not run: %s", file, error)
