"""The extension module under the name that release 1.5 gives it."""

import sys

from executorch.extension.pybindings import _portable_lib

sys.modules[__name__] = _portable_lib
