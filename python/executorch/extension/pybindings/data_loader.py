"""Native loaders that ``portable_lib._load_for_executorch_from_data_loader`` takes."""

from executorch.extension.pybindings._portable_lib import PyDataLoader, _file_data_loader

__all__ = ["PyDataLoader", "_file_data_loader"]
