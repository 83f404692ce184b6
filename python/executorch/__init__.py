"""A native runtime for ExecuTorch programs.

``executorch.runtime`` loads and runs them from Python; the C++ headers, libraries and the CMake package lie in this
folder. Programs are exported with PyTorch and the original ``executorch`` package, in an environment of its own.
"""

from executorch import _absent

try:
    from executorch._version import __version__
except ImportError:  # a source tree that was never built
    __version__ = "0+unknown"

_absent.install()
