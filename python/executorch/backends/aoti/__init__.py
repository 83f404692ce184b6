"""Importing this loads the delegate for programs that AOTInductor compiled for the CPU.

Such a program holds machine code. It runs only where the application says so, for one program or for the process::

    from executorch.backends import aoti
    from executorch.runtime import Runtime

    aoti.compile(torch.export.export(model, inputs), "model.pte")  # with PyTorch and a C++ compiler
    program = Runtime.get().load_program("model.pte", backend_options=aoti.trust())
    outputs = program.load_method("forward").execute(inputs)
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, Union

from executorch import _operator_libraries

if TYPE_CHECKING:
    import torch

#: What programs call the delegate.
BACKEND = "AotiCpuBackend"

_operator_libraries.load_delegate("backend_aoti_cpu")


def trust(sha256: Union[str, Sequence[str], None] = None) -> Dict[str, Dict[str, Any]]:
    """Options for ``Runtime.load_program(backend_options=…)`` that allow a program's machine code to run.

    Args:
        sha256: The digest of the machine code that is allowed, as ``code_digests`` tells it, or up to three of them; other
            code is refused. None allows any.
    """
    options: Dict[str, Any] = {"allow_native_code": True}
    if sha256 is not None:
        digests = [sha256] if isinstance(sha256, str) else list(sha256)
        for digest in digests:
            if len(digest) != 64 or digest.strip("0123456789abcdef"):
                raise ValueError(f"{digest!r} is no SHA-256 in 64 lower-case hexadecimal digits")
        if not 1 <= len(digests) <= 3:
            raise ValueError(f"one to three digests can be given, not {len(digests)}")
        options["code_sha256"] = ",".join(digests)
    return {BACKEND: options}


def compile(  # noqa: A001, the verb that everybody uses
    programs: Union["torch.export.ExportedProgram", Mapping[str, "torch.export.ExportedProgram"]],
    path: Union[str, os.PathLike],
    *,
    instruction_set: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Sequence[str]:
    """Compiles exported programs with AOTInductor and writes them as one ``.pte`` file.

    PyTorch and a C++ compiler must be installed. Takes 20 to 60 seconds for each program. Inputs and outputs must be
    tensors on the CPU; what the machine code needs and the runtime does not have is named in the error.

    Args:
        programs: An exported program, which becomes the method ``forward``, or several by the names of their methods.
        path: The file to write.
        instruction_set: What the machine that runs the program must have, as compilers call it: ``x86-64-v2``,
            ``x86-64-v3`` (AVX2, the default on x86), ``x86-64-v4`` (AVX-512), ``armv8-a``.
        options: Further settings of ``torch._inductor.config``, which win over ours.

    Returns:
        The SHA-256 of each method's machine code, for ``trust``.
    """
    from executorch.backends.aoti import _compile

    return _compile.write_program(programs, path, instruction_set, dict(options or {}))
