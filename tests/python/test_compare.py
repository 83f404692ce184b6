"""The first operator that diverges from a reference run."""

import json

import numpy as np
import pytest

from executorch.cli import compare, etdump


@pytest.fixture
def convnet(data):
    return data / "programs" / "convnet" / "model.pte"


@pytest.fixture
def reference(cli, convnet, tmp_path):
    folder = tmp_path / "reference"
    assert "recorded" in cli("compare", convnet, "--record", folder)
    return folder


def test_same_program_agrees(cli, convnet, reference):
    assert "agree" in cli("compare", convnet, "--reference", reference)
    result = json.loads(cli("compare", convnet, "--reference", reference, "--json"))
    # eleven instructions, of which two have three results and one has two, and the output of the program
    assert result == {"compared": 17, "diverging": 0, "first": None, "max_abs": 0.0}


def test_plan_agrees_with_its_operators(cli, convnet, reference):
    result = json.loads(cli("compare", convnet, "--reference", reference, "--planned", "--json"))
    assert result["diverging"] == 0 and 2 <= result["compared"] < 17


def test_first_divergence_is_named(cli, convnet, reference):
    """A reference with another number in the middle, as a faulty kernel would have left it."""
    blocks = etdump.read(reference / "profile.etdp", reference / "debug.bin")
    logged = [block for block in blocks if block.name == "Execute"][0].logged
    buffer = bytearray((reference / "debug.bin").read_bytes())
    alone = [entry for entry in logged if bytes(buffer).count(entry.values[0].tobytes()) == 1]
    for victim in alone[2:4]:
        place = bytes(buffer).index(victim.values[0].tobytes())
        buffer[place : place + 4] = np.float32(77).tobytes()
    (reference / "debug.bin").write_bytes(buffer)
    text = cli("compare", convnet, "--reference", reference, expect=1)
    assert f", instruction {alone[2].instruction}: differs by up to" in text and "2 of 17" in text


def test_other_inputs_diverge_at_the_start(cli, convnet, reference, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((2, 3, 16, 16), np.float32))
    result = json.loads(cli("compare", convnet, "--reference", reference, "--input", tmp_path / "x.npy", "--json", expect=1))
    assert result["first"]["instruction"] == 0 and result["diverging"] > 2


def test_other_program_is_an_error(cli, data, reference, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 2), np.float32))
    inputs = ["--input", tmp_path / "x.npy"] * 3
    text = cli("compare", data / "programs" / "add_mul" / "model.pte", "--reference", reference, *inputs, expect=1)
    assert "diverge" in text


@pytest.mark.parametrize(
    "ours, theirs, diverges",
    [
        (np.float32([1, 2]), np.float32([1, 2.0001]), False),
        (np.float32([1, 2]), np.float32([1, 2.1]), True),
        (np.float32([np.nan, np.inf]), np.float32([np.nan, np.inf]), False),
        (np.float32([np.nan]), np.float32([0]), True),
        (np.float32([np.inf]), np.float32([-np.inf]), True),
        (np.int64([1, 2]), np.int64([1, 3]), True),
        (np.int64([1]), np.int32([1]), True),
        (np.zeros((2, 0), np.float32), np.zeros((2, 0), np.float32), False),
        (np.zeros((2, 1), np.float32), np.zeros((1, 2), np.float32), True),
        (True, True, False),
    ],
)
def test_difference(ours, theirs, diverges):
    assert compare.difference(ours, theirs, 1e-3, 1e-5)["diverges"] is diverges
