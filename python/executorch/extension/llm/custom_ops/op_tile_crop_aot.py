"""Importing this defines ``torch.ops.preprocess.tile_crop``, where PyTorch is installed."""

from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401
