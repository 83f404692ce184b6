"""Writes the wheel's bill of materials (CycloneDX 1.6, JSON): what is compiled into it, with versions and licence texts.

    bill_of_materials.py OUTPUT VERSION FLATBUFFERS_INCLUDE NANOBIND_ROOT

The same inputs give the same bytes: neither time nor machine is written down.
"""

import importlib.metadata
import json
import pathlib
import re
import sys


def macros(header: pathlib.Path, prefix: str, *names: str) -> str:
    """A version that a header defines in parts: ``25.12.19``."""
    text = header.read_text(encoding="utf-8")
    return ".".join(re.search(rf"#define {prefix}{name}\s+(\d+)", text)[1] for name in names)


def licence_of_distribution(name: str) -> str | None:
    """The licence text of an installed Python distribution; None when there is no such distribution."""
    try:
        files = importlib.metadata.distribution(name).files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((file.read_text() for file in files if re.fullmatch(r"LICEN[CS]E(\.\w+)?", file.name)), None)


def first_comment(header: pathlib.Path) -> str:
    """The text of the comment that a header begins with."""
    comment = re.match(r"/\*+\n(.*?)\*/", header.read_text(encoding="utf-8"), re.DOTALL)[1]
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in comment.splitlines()).strip() + "\n"


def component(name: str, version: str, licence: str, text: str | None, purl: str, role: str) -> dict:
    license_entry = {"id": licence} | ({"text": {"contentType": "text/plain", "content": text}} if text else {})
    return {
        "type": "library", "bom-ref": purl, "name": name, "version": version, "description": role, "scope": "required",
        "licenses": [{"license": license_entry}], "purl": purl,
    }  # fmt: skip


def components(flatbuffers: pathlib.Path, nanobind: pathlib.Path) -> list[dict]:
    """What is compiled in; FlatBuffers into the libraries, the others into the Python extension."""
    flat = macros(flatbuffers / "flatbuffers" / "base.h", "FLATBUFFERS_VERSION_", "MAJOR", "MINOR", "REVISION")
    bind = importlib.metadata.version("nanobind")
    robin_headers = nanobind.parent / "ext" / "robin_map" / "include" / "tsl"
    robin = macros(robin_headers / "robin_growth_policy.h", "TSL_RH_VERSION_", "MAJOR", "MINOR", "PATCH")
    return [
        component("flatbuffers", flat, "Apache-2.0", licence_of_distribution("flatc"),
                  f"pkg:github/google/flatbuffers@v{flat}", "headers that read and write the file formats"),
        component("nanobind", bind, "BSD-3-Clause", licence_of_distribution("nanobind"), f"pkg:pypi/nanobind@{bind}",
                  "the Python binding"),
        component("robin-map", robin, "MIT", first_comment(robin_headers / "robin_map.h"),
                  f"pkg:github/Tessil/robin-map@v{robin}", "hash tables of the Python binding"),
    ]  # fmt: skip


def main(output: str, version: str, flatbuffers: str, nanobind: str) -> None:
    parts = components(pathlib.Path(flatbuffers), pathlib.Path(nanobind))
    purl = f"pkg:pypi/executorch@{version}"
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library", "bom-ref": purl, "name": "executorch", "version": version, "purl": purl,
                "licenses": [{"license": {"id": "BSD-3-Clause"}}],
            },
        },
        "components": parts,
        "dependencies": [
            {"ref": purl, "dependsOn": [part["bom-ref"] for part in parts[:2]]},
            {"ref": parts[0]["bom-ref"], "dependsOn": []},
            {"ref": parts[1]["bom-ref"], "dependsOn": [parts[2]["bom-ref"]]},
            {"ref": parts[2]["bom-ref"], "dependsOn": []},
        ],
    }  # fmt: skip
    pathlib.Path(output).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
