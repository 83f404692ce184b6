"""Operators that move elements."""

import torch

from delegated_programs.method import Method, odd_numbers, random


def views(dtype):
    x = odd_numbers(dtype, 2, 3, 4, 5)
    parts = [random(dtype, 2, n, 3) for n in (1, 2, 3, 4, 5, 6)]
    functions = {
        "permute": lambda x: x.permute(3, 1, 0, 2), "transpose_twice": lambda x: (x.transpose(1, 3) + 1).transpose(1, 3),
        "view": lambda x: x.view(6, 20), "view_inferred": lambda x: x.reshape(-1, 4, 5), "unsqueeze": lambda x: x.unsqueeze(-1),
        "slice": lambda x: x[:, 1:, 2:4], "slice_last": lambda x: x[..., 3:], "permuted_view": lambda x: x.permute(0, 2, 3, 1).reshape(8, 15),
    }  # fmt: skip
    for name, function in functions.items():
        yield Method(name, function, (x,))
    for count in range(2, 7):
        yield Method(f"cat{count}", lambda *parts: torch.cat(parts, 1), tuple(parts[:count]))
    yield Method("cat_first", lambda a, b: torch.cat([a, b]), (parts[1], parts[1]))
    yield Method("cat_last", lambda a, b: torch.cat([a, b, a], -1), (parts[1], parts[1]))
    yield Method("cat_of_results", lambda a, b: torch.cat([a + b, a * b], 2), (parts[1], parts[1]))


GROUPS = {"views": views}
