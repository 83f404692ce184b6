#!/usr/bin/env python3
"""Exports the bundled program in tests/data/bundled with the original's exporter.

    .venv-original/bin/python tools/export_bundled.py

Test cases of `forward`: 0 and 1 hold PyTorch's results, 2 expects zeros. The
program also has the constant method `count`, for which there are none.
"""

import pathlib

import torch
from executorch.devtools import BundledProgram
from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
from executorch.devtools.bundled_program.serialize import serialize_from_bundled_program_to_flatbuffer
from executorch.exir import to_edge

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "bundled" / "model.bpte"


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x, y):
        return self.linear(x) + y, (x > 0).sum(dim=1)


def main():
    torch.manual_seed(5)
    net = Net().eval()
    inputs = [(torch.randn(2, 4), torch.randn(2, 3)) for _ in range(3)]
    program = to_edge(torch.export.export(net, inputs[0]), constant_methods={"count": 7}).to_executorch()
    with torch.no_grad():
        expected = [net(*pair) for pair in inputs]
    expected[2] = tuple(torch.zeros_like(tensor) for tensor in expected[2])
    cases = [MethodTestCase(inputs=pair, expected_outputs=outputs) for pair, outputs in zip(inputs, expected)]
    bundled = BundledProgram(program, [MethodTestSuite("forward", cases)])
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_bytes(serialize_from_bundled_program_to_flatbuffer(bundled))


if __name__ == "__main__":
    main()
