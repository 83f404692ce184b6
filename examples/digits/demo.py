#!/usr/bin/env python3
"""Classifies handwritten digits that the model has not seen, without PyTorch."""

import pathlib
import time

import numpy as np
from rich.console import Console
from rich.text import Text

from executorch.runtime import Runtime

HERE = pathlib.Path(__file__).resolve().parent
SHADES = " .:-=+*#%@"
SHOWN = 6


def as_text(image: np.ndarray) -> list[str]:
    """An 8x8 image of 0..16 as lines of characters, two a pixel."""
    return ["".join(SHADES[min(int(pixel) * len(SHADES) // 17, len(SHADES) - 1)] * 2 for pixel in row) for row in image]


def show_row(console: Console, images, labels, guesses, confidences) -> None:
    """A row of digits with what the model says below them."""
    pictures = [as_text(image) for image in images]
    for lines in zip(*pictures):
        console.print("   ".join(lines), markup=False, highlight=False)
    captions = Text()
    for label, guess, confidence in zip(labels, guesses, confidences):
        right = label == guess
        caption = f"{guess} ({confidence:.0%})" if right else f"{guess}, is {label}"
        captions.append(f"{caption:<19}", style="bold green" if right else "bold red")
    console.print(captions)
    console.print()


def latency(method, images) -> float:
    """Median milliseconds of a run."""
    times = []
    for _ in range(200):
        start = time.perf_counter()
        method.execute([images])
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e3


def main() -> None:
    console = Console(width=120)
    start = time.perf_counter()
    method = Runtime.get().load_program(HERE / "digits.pte").load_method("forward")
    load_ms = (time.perf_counter() - start) * 1e3
    data = np.load(HERE / "held_out.npz")
    images, labels = data["images"], data["labels"]
    inputs = images.astype(np.float32)[:, None]

    (probabilities,) = method.execute([inputs])
    guesses = probabilities.argmax(1)
    wrong = np.flatnonzero(guesses != labels)

    console.rule("digits that the model has never seen")
    chosen = np.random.default_rng().choice(np.flatnonzero(guesses == labels), 2 * SHOWN, replace=False)
    for rows in (chosen[:SHOWN], chosen[SHOWN:], wrong[:SHOWN]):
        if len(rows):
            show_row(console, images[rows], labels[rows], guesses[rows], probabilities[rows, guesses[rows]])
    console.print(f"accuracy   {np.mean(guesses == labels):.1%} of {len(labels)} held-out digits, {len(wrong)} wrong", highlight=False)
    console.print(f"load       {load_ms:.2f} ms", highlight=False)
    console.print(f"latency    {latency(method, inputs[:1]):.3f} ms for one digit, {latency(method, inputs):.2f} ms for all {len(labels)}", highlight=False)
    console.print(
        "\nNext: executorch inspect examples/digits/digits.pte (in .venv/bin), ./dev demo-search, or docs/getting-started-python.md",
        highlight=False, soft_wrap=True,
    )  # fmt: skip


if __name__ == "__main__":
    main()
