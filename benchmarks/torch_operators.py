"""
Attention and quantised operators through torch.ops, on this runtime and on the original, interleaved.

  python benchmarks/torch_operators.py --original PYTHON

Run it with a Python that has this package and PyTorch; PYTHON has the original. Figures are CPU microseconds of a call over all
threads, the best of all rounds, Python's part included; a ratio above 1 means that this runtime is faster.
"""

import argparse
import json
import os
import subprocess
import sys
import time

_MARK = "result "  # in front of answers: libraries write lines of their own


def _attention(torch, dtype, positions, heads, key_heads, numbers, length, start):
    query = torch.randn(1, positions, heads, numbers).to(dtype)
    keys, values = (torch.randn(1, length, key_heads, numbers).to(dtype) for _ in range(2))
    out = torch.empty_like(query)
    return lambda: torch.ops.llama.custom_sdpa.out(query, keys, values, start, None, 0.0, True, None, out=out)


def _quantized_attention(torch, positions, heads, key_heads, numbers, length, start):
    def rows(count, heads):
        sizes = (1, count, heads)
        return (torch.randint(-128, 127, (*sizes, numbers), dtype=torch.int8),
                torch.randint(-5, 5, (*sizes, 1), dtype=torch.int8), torch.rand(*sizes, 1) / 50)  # fmt: skip

    query, keys, values = rows(positions, heads), rows(length, key_heads), rows(length, key_heads)
    out = torch.empty(1, positions, heads, numbers)
    operands = [tensors[0] for tensors in (query, keys, values)]
    parameters = [t for tensors in (query, keys, values) for t in tensors[1:]]
    return lambda: torch.ops.llama.custom_quantized_sdpa.out(
        *operands, start, None, 0.0, True, None, *parameters, False, out=out
    )


def cases(torch) -> dict:
    """Calls by name."""
    quantized = torch.ops.quantized_decomposed
    x, xs = torch.randn(1000, 1000), torch.randn(1, 1000)
    bytes_ = torch.randint(-128, 127, (1000, 1000), dtype=torch.int8)
    scales, zeros = torch.rand(1000) + 0.1, torch.zeros(1000, dtype=torch.int64)
    out, out8, row = torch.empty(1000, 1000), torch.empty(1000, 1000, dtype=torch.int8), torch.empty(1, 1000)
    limits = (-128, 127, torch.int8)
    result = {
        "quantize_per_tensor 1M": lambda: quantized.quantize_per_tensor.out(x, 0.1, 0, *limits, out=out8),
        "dequantize_per_tensor 1M": lambda: quantized.dequantize_per_tensor.out(bytes_, 0.1, 0, *limits, out=out),
        "dequantize_per_channel 1M, rows": lambda: quantized.dequantize_per_channel.out(bytes_, scales, zeros, 0, *limits, out=out),
        "dequantize_per_channel 1M, columns": lambda: quantized.dequantize_per_channel.out(bytes_, scales, zeros, 1, *limits, out=out),
        "mixed_linear 1x1000x1000": lambda: quantized.mixed_linear.out(xs, bytes_, scales, None, None, out=row),
        "mixed_mm 1x1000x1000": lambda: quantized.mixed_mm.out(xs, bytes_, scales, None, out=row),
    }
    for dtype in (torch.float32, torch.bfloat16):
        name = str(dtype).removeprefix("torch.")
        result[f"sdpa {name}, token at 1000, 8 heads x 64"] = _attention(torch, dtype, 1, 8, 8, 64, 1024, 1000)
        result[f"sdpa {name}, token at 4000, 32/8 heads x 128"] = _attention(torch, dtype, 1, 32, 8, 128, 4096, 4000)
        result[f"sdpa {name}, 64 tokens at 2000, 8/4 heads x 64"] = _attention(torch, dtype, 64, 8, 4, 64, 4096, 2000)
        result[f"sdpa {name}, 512 tokens, 32/8 heads x 128"] = _attention(torch, dtype, 512, 32, 8, 128, 1024, 0)
    result["sdpa int8, token at 2000, 8/4 heads x 64"] = _quantized_attention(torch, 1, 8, 4, 64, 2048, 2000)
    result["sdpa int8, 64 tokens at 1000, 8/4 heads x 64"] = _quantized_attention(torch, 64, 8, 4, 64, 2048, 1000)
    return result


def worker() -> None:
    """Answers each name on standard input with the best CPU seconds of a call."""
    import torch

    import executorch.extension.llm.custom_ops.custom_ops
    import executorch.kernels.quantized  # noqa: F401

    torch.set_num_threads(1)
    torch.manual_seed(0)
    calls = cases(torch)
    print(_MARK + json.dumps(list(calls)), flush=True)
    for line in sys.stdin:
        call, seconds = calls[line.rstrip("\n")], []
        call()
        end = time.monotonic() + 0.2
        while time.monotonic() < end or len(seconds) < 3:
            before = time.process_time()
            call()
            seconds.append(time.process_time() - before)
        print(_MARK + json.dumps(min(seconds)), flush=True)


class Side:
    def __init__(self, python: str, search_path: str = ""):
        threads = {"EXECUTORCH_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [python, __file__, "--worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **threads, "PYTHONPATH": search_path},
        )  # fmt: skip
        self.names = self._read()

    def _read(self):
        for line in self._process.stdout:
            if line.startswith(_MARK):
                return json.loads(line.removeprefix(_MARK))
        raise RuntimeError(f"the worker ended with status {self._process.wait()}")

    def measure(self, name: str) -> float:
        print(name, file=self._process.stdin, flush=True)
        return self._read()

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--original", default=".venv-original/bin/python", help="Python of the original's environment")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        return worker()
    ours, original = Side(sys.executable, os.environ.get("PYTHONPATH", "")), Side(args.original)
    print(f"{'operator':48}{'ours us':>10}{'original us':>13}{'ratio':>8}")
    for name in ours.names:
        pairs = [(ours.measure(name), original.measure(name)) for _ in range(args.rounds)]
        best, theirs = (min(side) * 1e6 for side in zip(*pairs))
        print(f"{name:48}{best:10.0f}{theirs:13.0f}{theirs / best:8.1f}", flush=True)
    ours.close()
    original.close()


if __name__ == "__main__":
    main()
