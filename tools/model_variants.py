"""How a model becomes the module and the partitioners of a variant: quantised or as it is, delegated or not."""

import copy
import dataclasses
from typing import List, Optional

import torch


@dataclasses.dataclass
class Prepared:
    """A module ready for lowering. `group`: which eager results belong to it, None for those of the unquantised module."""

    module: torch.nn.Module
    partitioners: List
    group: Optional[str] = None


def _delegated(dynamic=False):
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackDynamicallyQuantizedPartitioner, XnnpackPartitioner

    return [XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()] if dynamic else [XnnpackPartitioner()]


def _quantizer(dynamic):
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config

    class Quantizer(XNNPACKQuantizer):
        def transform_for_annotation(self, model):
            # The base class turns numbers into float tensors, those added to indices too; dynamic quantisation needs none.
            return model if dynamic else super().transform_for_annotation(model)

    return Quantizer().set_global(get_symmetric_quantization_config(is_per_channel=True, is_dynamic=dynamic))


def _calibrated(exported, inputs, dynamic):
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    prepared = prepare_pt2e(exported.module(), _quantizer(dynamic))
    with torch.no_grad():
        prepared(*inputs)
        for _ in range(2):
            prepared(*[torch.randn_like(t) if t.is_floating_point() else t for t in inputs])
    return convert_pt2e(prepared)


def _weights_quantized(module, dtype, granularity):
    from torchao.quantization import Int8DynamicActivationIntxWeightConfig, quantize_

    module = copy.deepcopy(module)
    quantize_(module, Int8DynamicActivationIntxWeightConfig(weight_dtype=dtype, weight_granularity=granularity))
    return module


def prepare(name, variant, spec, export) -> Prepared:
    """`export(module)` gives its exported program."""
    module, base = spec.module, variant.removesuffix("_sdpa")
    if base != variant:
        import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401  (registers the operators)

        from model_suite import custom_sdpa_twin

        module = custom_sdpa_twin(name)
    if base == "portable":
        return Prepared(module, [])
    if base == "xnnpack":
        return Prepared(module, _delegated())
    if base in ("8da4w", "8da8w"):
        from torchao.quantization.granularity import PerAxis, PerGroup

        kind = (torch.int4, PerGroup(32)) if base == "8da4w" else (torch.int8, PerAxis(0))
        return Prepared(_weights_quantized(module, *kind), _delegated(dynamic=True), variant)
    if base == "xnnpack_q8dyn":
        return Prepared(_calibrated(export(module), spec.inputs, True), _delegated(dynamic=True), "q8dyn")
    if base == "xnnpack_q8":
        return Prepared(_calibrated(export(module), spec.inputs, False), _delegated(), "q8")
    if base == "quantized_portable":
        import executorch.kernels.quantized  # noqa: F401  (registers the operators)

        return Prepared(_calibrated(export(module), spec.inputs, False), [], "q8")
    raise ValueError(f"no variant is called {variant}")
