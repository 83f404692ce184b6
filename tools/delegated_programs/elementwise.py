"""Elementwise operators."""

import torch
from torch import nn
from torch.nn import functional as F

from delegated_programs.method import Method, odd_numbers, random

UNARY = {
    "abs": torch.abs, "ceil": torch.ceil, "floor": torch.floor, "neg": torch.neg, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt,
    "exp": torch.exp, "log": torch.log, "sin": torch.sin, "cos": torch.cos, "tanh": torch.tanh, "sigmoid": torch.sigmoid,
    "gelu": F.gelu, "hardswish": F.hardswish, "leaky_relu": lambda x: F.leaky_relu(x, 0.2), "relu": torch.relu, "relu6": F.relu6,
    "hardtanh": lambda x: F.hardtanh(x, -0.25, 0.75), "clamp_low": lambda x: x.clamp(min=-0.5), "clamp_high": lambda x: x.clamp(max=0.5),
    "square": lambda x: x.pow(2), "silu": F.silu, "hardsigmoid": F.hardsigmoid, "clone": lambda x: x.clone() + x,
}  # fmt: skip
# Types of 16 bits know too little of large arguments.
WIDE = {"sin", "cos"}
# Not delegated in 16 bits. PyTorch's value for infinity depends on the machine.
ONLY_SINGLE = {"gelu"}
BINARY = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "maximum": torch.maximum, "minimum": torch.minimum}
SHAPES = {
    "same": ((3, 7), (3, 7)), "row": ((2, 3, 7), (7,)), "column": ((4, 5), (4, 1)), "both": ((2, 1, 6), (3, 1)), "one": ((2, 5), (1,)),
    "vector": ((17,), (17,)), "rank4": ((2, 3, 4, 5), (3, 1, 5)), "rank6": ((2, 1, 2, 1, 2, 3), (2, 1, 2, 2, 3)),
}  # fmt: skip


def unary(dtype):
    half = dtype != torch.float32
    for name, function in UNARY.items():
        if half and name in ONLY_SINGLE:
            continue
        finite = random(dtype, 2, 3, 11)
        calls = [(finite,)] if half and name in WIDE or name in ONLY_SINGLE else [(odd_numbers(dtype, 2, 3, 11),), (finite,)]
        yield Method(name, function, (finite,), calls)


def binary(dtype):
    for name, function in BINARY.items():
        for shape, sizes in SHAPES.items():
            if name != "add" and shape not in ("same", "both", "rank4"):
                continue
            inputs = tuple(random(dtype, *size) for size in sizes)
            odd = (odd_numbers(dtype, *sizes[0]), odd_numbers(dtype, *sizes[1]).flip(0))
            yield Method(f"{name}_{shape}", function, inputs, [inputs, odd])


def fused(dtype):
    x, y = random(dtype, 3, 5), random(dtype, 3, 5)
    odd = odd_numbers(dtype, 3, 5)
    for name, function in BINARY.items():
        if name in ("add", "sub", "mul"):
            yield Method(f"{name}_relu", lambda a, b, f=function: torch.relu(f(a, b)), (x, y), [(x, y), (odd, y)])
    yield Method("same_operand", lambda a: a / a + a * a, (x,), [(x,), (odd,)])
    yield Method("constant", lambda a, c=random(dtype, 5): a * c, (x,), [(x,), (odd,)])
    yield Method("softmax", lambda a: a.softmax(-1), (x,), [(x,), (random(dtype, 3, 5) * 20,)])
    yield Method("softmax_rank4", lambda a: a.softmax(-1), (random(dtype, 2, 3, 4, 9),))
    prelu = nn.PReLU(4, init=0.3).to(dtype)
    image = random(dtype, 2, 4, 3, 5)
    yield Method("prelu", prelu, (image,), [(image,), (odd_numbers(dtype, 2, 4, 3, 5),)])


GROUPS = {"unary": unary, "binary": binary, "fused": fused}
