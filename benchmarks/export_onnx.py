#!/usr/bin/env python3
"""Writes model.onnx beside the programs of the model suite that are measured, where it is missing, for onnxruntime.

    python benchmarks/export_onnx.py MODELS_DIR

Needs torch, onnx, onnxscript and what the models are made with (transformers). What does not export is named and left out.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))


def export(spec, path):
    import torch

    program = torch.onnx.export(spec.module, spec.inputs, dynamo=True, dynamic_shapes=spec.dynamic_shapes, verbose=False)
    program.save(path, external_data=False)


def main():
    from model_suite import SUITE

    for folder in sorted(pathlib.Path(sys.argv[1]).glob("*/")):
        path = folder / "model.onnx"
        if folder.name not in SUITE or not (folder / "portable.pte").exists() or path.exists():
            continue
        spec = SUITE[folder.name]()
        if spec.stateful:
            continue  # state between calls has no counterpart there
        try:
            export(spec, path)
        except Exception as error:  # noqa: BLE001  (a comparison that is not to be had)
            print(f"{folder.name}: no ONNX, {type(error).__name__}: {str(error).splitlines()[0][:120]}", file=sys.stderr)


if __name__ == "__main__":
    main()
