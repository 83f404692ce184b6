#!/usr/bin/env python3
"""Trains the digits classifier of examples/digits and exports it.

    .venv-original/bin/python -m pip install scikit-learn
    .venv-original/bin/python tools/train_digits.py

The data are scikit-learn's copy of the test part of "Optical Recognition of Handwritten Digits" (E. Alpaydin and C. Kaynak,
1998, UCI Machine Learning Repository, CC BY 4.0): 1,797 images of 8x8 pixels. A fifth is held out, never trained on, and
saved beside the program.
"""

import pathlib

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.nn import functional as F

OUT = pathlib.Path(__file__).resolve().parent.parent / "examples" / "digits"


class Digits(nn.Module):
    """Images of 0..16, shape [batch, 1, 8, 8], to probabilities, shape [batch, 10]."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
            nn.Conv2d(16, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(24, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        )  # fmt: skip
        self.head = nn.Linear(96, 10)

    def forward(self, images):
        return F.softmax(self.head(self.features(images / 16).flatten(1)), dim=1)


def shifted(images):
    """Each image moved by up to one pixel, and a little noise."""
    padded = F.pad(images, (1, 1, 1, 1))
    dy, dx = torch.randint(0, 3, (2,)).tolist()
    return padded[:, :, dy : dy + 8, dx : dx + 8] + 0.5 * torch.randn_like(images)


def train(model, images, labels, epochs=120):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=1e-2)
    batches = -(-len(images) // 64)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 6e-3, total_steps=epochs * batches)
    for _ in range(epochs):
        for rows in torch.randperm(len(images)).chunk(batches):
            logits = torch.log(model(shifted(images[rows])) + 1e-9)
            optimizer.zero_grad()
            F.nll_loss(logits, labels[rows]).backward()
            optimizer.step()
            schedule.step()


def main():
    from executorch.exir import to_edge_transform_and_lower

    torch.manual_seed(1)
    data = load_digits()
    images = torch.from_numpy(data.images.astype(np.float32)).unsqueeze(1)
    labels = torch.from_numpy(data.target)
    rows, held_out = train_test_split(np.arange(len(labels)), test_size=0.2, random_state=0, stratify=data.target)
    model = Digits()
    train(model, images[rows], labels[rows])
    model.eval().requires_grad_(False)
    accuracy = (model(images[held_out]).argmax(1) == labels[held_out]).float().mean()
    print(f"accuracy on {len(held_out)} held-out digits: {accuracy:.2%}")

    batch = torch.export.Dim("batch", min=1, max=512)
    exported = torch.export.export(model, (images[:4],), dynamic_shapes=({0: batch},))
    with open(OUT / "digits.pte", "wb") as file:
        to_edge_transform_and_lower(exported).to_executorch().write_to_file(file)
    np.savez_compressed(OUT / "held_out.npz", images=data.images[held_out].astype(np.uint8), labels=data.target[held_out].astype(np.uint8))


if __name__ == "__main__":
    main()
