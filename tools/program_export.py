"""What the export scripts share: a program's description, PyTorch's results of its calls, and the folder that holds both.

A folder contains model.pte (and .ptd files), calls.npz with the inputs and PyTorch's results of consecutive calls
(c<call>_in<i>, c<call>_out<i>), and program.json (methods of the calls, data files).
"""

import copy
import json
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")


class Spec:
    """A module, its example inputs, and the calls to record. `export` holds keyword arguments of torch.export.export.

    A call is a tuple of inputs, or (method, inputs). `tolerance` is the error to accept relative to an output's largest
    magnitude, where the usual one does not fit. `dim_order` chooses the dialect: copies that name the order of dimensions,
    or plain ATen ones.
    """

    def __init__(self, module, inputs, calls=None, config=None, methods=None, constant_methods=None, tolerance=None,
                 dim_order=True, **export):  # fmt: skip
        self.module, self.inputs, self.calls = module.eval().requires_grad_(False), inputs, calls or [inputs]
        self.config, self.methods, self.constant_methods, self.export = config, methods, constant_methods, export
        self.tolerance, self.dim_order = tolerance, dim_order


def as_numpy(value):
    if isinstance(value, torch.Tensor):
        value = value.detach()
        return value.float().numpy() if value.dtype == torch.bfloat16 else value.numpy()
    return np.asarray(value)


def record_calls(spec, folder):
    """Runs the calls in PyTorch on copies, state carried from call to call."""
    arrays, methods = {}, []
    modules = {"forward": copy.deepcopy(spec.module), **{k: copy.deepcopy(m) for k, m in (spec.methods or {}).items()}}
    for number, call in enumerate(spec.calls):
        method, inputs = call if isinstance(call[0], str) else ("forward", call)
        methods.append(method)
        if method in (spec.constant_methods or {}):
            outputs = [spec.constant_methods[method]]
        else:
            with torch.no_grad():
                outputs = modules[method](*[t.clone() for t in inputs])
            outputs = list(outputs.values()) if isinstance(outputs, dict) else outputs
            outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
        for i, tensor in enumerate(inputs):
            arrays[f"c{number}_in{i}"] = as_numpy(tensor)
        for i, value in enumerate(outputs):
            if value is not None:
                # A state buffer may be an output: its value now, not after the later calls.
                arrays[f"c{number}_out{i}"] = np.array(as_numpy(value))
    np.savez_compressed(folder / "calls.npz", **arrays)
    return methods


def write_program(spec, folder):
    """Exports the program and records its calls into the folder. Returns the bytes written."""
    from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower

    folder.mkdir(parents=True, exist_ok=True)
    methods = record_calls(spec, folder)
    programs = {"forward": torch.export.export(spec.module, spec.inputs, **spec.export)}
    for method, module in (spec.methods or {}).items():
        programs[method] = torch.export.export(module.eval().requires_grad_(False), spec.inputs)
    edge = to_edge_transform_and_lower(
        programs, constant_methods=spec.constant_methods,
        compile_config=EdgeCompileConfig(_check_ir_validity=False, _skip_dim_order=not spec.dim_order))  # fmt: skip
    manager = edge.to_executorch(spec.config) if spec.config else edge.to_executorch()
    with open(folder / "model.pte", "wb") as file:
        manager.write_to_file(file)
    manager.write_tensor_data_to_file(str(folder))
    about = {"methods": methods, "data_files": sorted(path.name for path in folder.glob("*.ptd"))}
    if spec.tolerance:
        about["tolerance"] = spec.tolerance
    (folder / "program.json").write_text(json.dumps(about, indent=1) + "\n")
    return sum(path.stat().st_size for path in folder.iterdir())
