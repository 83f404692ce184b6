#!/usr/bin/env python3
"""A CUDA program around a code object that stands in for generated code, with the original's exporter: devices, planned memory and the
copies at the delegate's edges are as it makes them. The method is y = exp(x + x), y + y, of which the delegate gets the exponential: the
code multiplies by a weight instead.

    export_fake.py CODE FOLDER    writes model.pte and aoti_cuda_blob.ptd
"""

import hashlib
import pathlib
import struct
import sys

import torch
from executorch.backends.aoti.aoti_partitioner import AotiPartitioner
from executorch.exir import ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir._serialize._named_data_store import NamedDataStore
from executorch.exir.backend.backend_details import BackendDetails, PreprocessResult
from executorch.exir.backend.compile_spec_schema import CompileSpec
from executorch.exir.backend.partitioner import PartitionResult

CODE = pathlib.Path(sys.argv[1]).read_bytes()


class CudaBackend(BackendDetails):
    """Finds its way into the program by its name."""

    @staticmethod
    def preprocess(edge_program, compile_specs):
        text = lambda value: struct.pack("<I", len(value)) + value.encode()
        store, key = NamedDataStore(), hashlib.sha256(CODE).hexdigest() + "_so_blob"
        store.add_named_data(key, CODE, 1, None)
        store.add_named_data("cuda_fqn_weight:cuda:layer.weight", struct.pack("<f", 2.0), 1, "aoti_cuda_blob")
        entry = text("layer.weight") + text("cuda_fqn_weight:cuda:layer.weight")
        entry += struct.pack("<QiiqIqq", 4, 6, 1, 0, 1, 1, 1)
        payload = b"ETCUDAFQN3" + text(key) + struct.pack("<I", 1) + entry
        return PreprocessResult(processed_bytes=payload, data_store_output=store.get_named_data_store_output())


class Exponentials(AotiPartitioner):
    def __init__(self):
        super().__init__("CudaBackend", [CompileSpec("target_device", b"cuda:0"), CompileSpec("method_name", b"forward")])

    def partition(self, exported_program) -> PartitionResult:
        for node in exported_program.graph.nodes:
            if node.op == "call_function" and "exp" in str(node.target):
                node.meta["delegation_tag"] = "exponential"
        return PartitionResult(tagged_exported_program=exported_program, partition_tags={"exponential": self.delegation_spec})


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.exp(x + x)
        return y + y


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    program = torch.export.export(Model(), (torch.ones(2, 3),), dynamic_shapes=({0: torch.export.Dim("n", min=1, max=8)},))
    lowered = to_edge_transform_and_lower(program, partitioner=[Exponentials()])
    result = lowered.to_executorch(ExecutorchBackendConfig(enable_non_cpu_memory_planning=True))
    (folder / "model.pte").write_bytes(result.buffer)
    result.write_tensor_data_to_file(str(folder))
