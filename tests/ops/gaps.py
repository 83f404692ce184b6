"""What is knowingly not supported, each with its reason. The report prints every gap that a run met."""

from ops.recording import Sample, tensors_in

# Operators that this harness cannot reach, by name.
NOT_RUN = {
    "executorch_prim::et_view.default": "returns a view of its operand, which exists only inside a program: the program tests run it",
    "executorch_prim::copy_elements.out": "not an operator of PyTorch's, but the loader's own for views that a program does not spell out",
}


# Operators of PyTorch that the exporter may leave in a program and that are not implemented, each by its name without overload.
OUT_OF_SCOPE = {
    "factorisations of matrices and what is solved with them, which Core ATen does not have": [
        "_linalg_check_errors", "_linalg_eigh", "_linalg_solve_ex", "_linalg_svd", "cholesky", "cholesky_inverse",
        "cholesky_solve", "geqrf", "linalg_eig", "linalg_householder_product", "linalg_ldl_factor_ex", "linalg_ldl_solve",
        "linalg_lstsq", "linalg_lu", "linalg_lu_solve", "linalg_matrix_exp", "linalg_pinv", "linalg_qr", "lu_unpack", "ormqr",
        "triangular_solve",
    ],
    "orthogonal polynomials, which Core ATen does not have": [
        "special_chebyshev_polynomial_t", "special_chebyshev_polynomial_u", "special_chebyshev_polynomial_v",
        "special_chebyshev_polynomial_w", "special_shifted_chebyshev_polynomial_t", "special_shifted_chebyshev_polynomial_u",
        "special_shifted_chebyshev_polynomial_v", "special_shifted_chebyshev_polynomial_w", "special_hermite_polynomial_h",
        "special_hermite_polynomial_he", "special_laguerre_polynomial_l", "special_legendre_polynomial_p",
    ],
    "histograms and hashes, which Core ATen does not have": [
        "histogram", "_histogramdd_bin_edges", "_histogramdd_from_bin_cts", "_histogramdd_from_bin_tensors", "hash_tensor",
    ],
    "losses, noise and embeddings of training": ["_ctc_loss", "rrelu_with_noise", "embedding_renorm", "segment_reduce"],
    "a bilinear form of three operands, which Core ATen does not have": ["_trilinear"],
    "sparse tensors, which no program holds": ["_to_sparse"],
    "memory that is resized, which the exporter refuses": ["resize"],
}  # fmt: skip


# Programs know complex numbers from copies, sums and products only; the exporter decomposes other functions of them.
_COMPLEX = {
    "_conj_physical", "_conj_copy", "abs", "add", "mul", "sum", "bmm", "copy", "copy_", "clone", "_to_copy", "view_as_real_copy", "cat",
    "angle", "complex", "polar", "view_as_complex_copy", "_fft_r2c", "_fft_c2r", "_fft_c2c", "diagonal_scatter",
    "as_strided_scatter", "put",
}  # fmt: skip
COMPLEX = "complex numbers in an operator that is not among the sums, products and copies"


# Of floating point numbers, by PyTorch's documentation; it takes whole ones where nothing is interpolated or divided.
_OF_REALS = {"_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa", "affine_grid_generator", "col2im"}
_WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64")


def reason(sample: Sample) -> str | None:
    """Why the operator may refuse this call although PyTorch accepts it, or None."""
    complex_values = any(t.is_complex() for t in tensors_in([sample.inputs, sample.expected]))
    if complex_values and sample.row.base not in _COMPLEX and not sample.row.copies_a_view:
        return COMPLEX
    if "_backward" in sample.row.base and sample.dtype in _WHOLE:
        return "gradients of whole numbers, which PyTorch itself never asks for"
    if sample.row.base in _OF_REALS and sample.dtype in _WHOLE:
        return "images and grids of whole numbers, which would have to be rounded"
    if sample.row.name == "aten::native_batch_norm.out" and sample.inputs[5] is True and sample.inputs[3] is not None:
        return "training that writes running statistics, which the schema does not allow"
    return None
