#!/usr/bin/env python3
"""Exports the programs in tests/data/bundled with the original's exporter.

    .venv-original/bin/python tools/export_bundled.py

model.bpte: test cases 0 and 1 of `forward` hold PyTorch's results, 2 expects zeros. The program also has the constant method
`count`, for which there are none.

writes_input.pte: adds the int 2, its second input, to its first one, a tensor of 3 that it uses in place.
"""

import pathlib

import torch
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "bundled"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x, y):
        return self.linear(x) + y, (x > 0).sum(dim=1)


class WritesInput(torch.nn.Module):
    def forward(self, x, n: int):
        x.add_(n)
        return x * 2


def bundled_program():
    torch.manual_seed(5)
    net = Net().eval()
    inputs = [(torch.randn(2, 4), torch.randn(2, 3)) for _ in range(3)]
    program = to_edge(torch.export.export(net, inputs[0]), constant_methods={"count": 7}).to_executorch()
    with torch.no_grad():
        expected = [net(*pair) for pair in inputs]
    expected[2] = tuple(torch.zeros_like(tensor) for tensor in expected[2])
    cases = [MethodTestCase(inputs=pair, expected_outputs=outputs) for pair, outputs in zip(inputs, expected)]
    bundled = BundledProgram(program, [MethodTestSuite("forward", cases)])
    return serialize_from_bundled_program_to_flatbuffer(bundled)


def writes_input():
    config = ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False))
    return to_edge(torch.export.export(WritesInput(), (torch.zeros(3), 2))).to_executorch(config).buffer


def main():
    OUT.mkdir(exist_ok=True)
    (OUT / "model.bpte").write_bytes(bundled_program())
    (OUT / "writes_input.pte").write_bytes(writes_input())


if __name__ == "__main__":
    main()
