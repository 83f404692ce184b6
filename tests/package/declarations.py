"""What headers declare and leave to a library, as the compiler's syntax tree tells (clang)."""

import json
import pathlib
import subprocess

FUNCTIONS = {"FunctionDecl", "CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}
# Patterns that a consumer's compiler fills in.
TEMPLATES = {"FunctionTemplateDecl", "ClassTemplateDecl", "ClassTemplatePartialSpecializationDecl"}
WITHOUT_BODY = ("isImplicit", "explicitlyDefaulted", "explicitlyDeleted", "pure")


def _has_body(function: dict) -> bool:
    return any(part.get("kind") in {"CompoundStmt", "CXXTryStmt"} for part in function.get("inner", []))


def _walk(node: dict, declared: set[str], defined: set[str]) -> None:
    kind = node.get("kind")
    if kind in TEMPLATES:
        return
    if kind in FUNCTIONS:
        given = _has_body(node) or any(node.get(reason) for reason in WITHOUT_BODY)
        (defined if given else declared).add(node.get("mangledName", ""))
    elif kind == "VarDecl":
        left_out = node.get("storageClass") == "extern" and "init" not in node
        (declared if left_out else defined).add(node.get("mangledName", ""))
    else:
        for part in node.get("inner", []):
            _walk(part, declared, defined)


def left_to_libraries(compiler: list[str], include: pathlib.Path, headers: list[str]) -> set[str]:
    """Mangled names of functions and variables that the headers declare without defining them."""
    declared, defined, decoder = set(), set(), json.JSONDecoder()
    code = "".join(f"#include <{header}>\n" for header in headers)
    # Qualified names hold one of these words: executorch::, torch::executor::, c10::, et_pal_….
    for word in ("executor", "c10", "et_pal"):
        command = [*compiler, f"-I{include}", f"-I{include}/executorch/runtime/core/portable_type/c10", "-x", "c++", "-",
                   "-Xclang", "-ast-dump=json", "-Xclang", f"-ast-dump-filter={word}"]  # fmt: skip
        text = subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout.strip()
        end = 0
        while end < len(text):
            tree, end = decoder.raw_decode(text, end)
            _walk(tree, declared, defined)
            while text[end : end + 1].isspace():
                end += 1
    return declared - defined - {""}
