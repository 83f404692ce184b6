"""What is knowingly not supported, each with its reason. The report prints every gap that a run met."""

from ops.recording import Sample

# Operators that this harness cannot reach, by name.
NOT_RUN = {
    "executorch_prim::et_view.default": "returns a view of its operand, which exists only inside a program: the program tests run it",
}


def reason(sample: Sample) -> str | None:
    """Why the operator may refuse this call although PyTorch accepts it, or None."""
    return None
