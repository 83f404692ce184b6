"""What is knowingly not supported, each with its reason. The report prints every gap that a run met."""

import torch

from ops.recording import Sample, tensors_in

# Operators that this harness cannot reach, by name.
NOT_RUN = {
    "executorch_prim::et_view.default": "returns a view of its operand, which exists only inside a program: the program tests run it",
    "executorch_prim::copy_elements.out": "not an operator of PyTorch's, but the loader's own for views that a program does not spell out",
}


# Programs know complex numbers from copies, sums and products only; the exporter decomposes other functions of them.
_COMPLEX = {
    "_conj_physical", "_conj_copy", "abs", "add", "mul", "sum", "bmm", "copy", "copy_", "clone", "_to_copy", "view_as_real_copy", "cat",
    "angle", "complex", "polar", "view_as_complex_copy", "_fft_r2c", "_fft_c2r", "_fft_c2c", "diagonal_scatter",
    "as_strided_scatter", "put",
}  # fmt: skip


def reason(sample: Sample) -> str | None:
    """Why the operator may refuse this call although PyTorch accepts it, or None."""
    complex_values = any(t.is_complex() for t in tensors_in([sample.inputs, sample.expected]))
    if complex_values and sample.row.base not in _COMPLEX and not sample.row.copies_a_view:
        return "complex numbers in an operator that is not among the sums, products and copies"
    if sample.row.name == "aten::native_batch_norm.out" and sample.inputs[5] is True and sample.inputs[3] is not None:
        return "training that writes running statistics, which the schema does not allow"
    if sample.row.base == "nextafter" and any(t.dtype == torch.float16 for t in tensors_in(sample.expected)):
        return "steps between half precision numbers"
    if sample.row.base == "unique_consecutive" and sample.inputs[3] is not None and sample.inputs[0].dim() != 1:
        return "slices of a tensor that are compared as a whole"
    return None
