"""Says what to do when a module of the original package is imported that this one does not have."""

import sys

# Top-level parts of the original that export or lower programs: they need PyTorch and are not part of a runtime.
_EXPORT = {"exir", "export", "codegen", "data", "examples", "devtools", "schema"}
_HINT = {
    "backends": "lowering to a delegate is done at export",
    "extension": "this part of the original is not in the native runtime",
    "kernels": "this part of the original is not in the native runtime",
}


class _AbsentModules:
    """Last in the row of finders: reached only by names that nothing else provides."""

    def find_spec(self, fullname, path=None, target=None):
        parts = fullname.split(".")
        if len(parts) < 2 or parts[0] != "executorch":
            return None
        if parts[1] in _EXPORT:
            reason = "it belongs to the exporter"
        elif parts[1] in _HINT:
            reason = _HINT[parts[1]]
        else:
            return None
        raise ModuleNotFoundError(
            f"{fullname} is not part of the native ExecuTorch runtime ({reason}): export programs in a separate "
            "environment with `pip install executorch==1.5.1 torch`, then run the .pte file here.",
            name=fullname,
        )


def install() -> None:
    if not any(isinstance(finder, _AbsentModules) for finder in sys.meta_path):
        sys.meta_path.append(_AbsentModules())
