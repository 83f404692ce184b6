"""The command line, run as a user does."""

import json

import numpy as np
import pytest

from conftest import ROOT


@pytest.fixture
def convnet(data):
    return data / "programs" / "convnet"


def test_inspect(cli, convnet):
    text = cli("inspect", convnet / "model.pte")
    for words in ("forward", "float32[2, 3, 16, 16]", "aten::convolution.out", "constants"):
        assert words in text


def test_inspect_json(cli, convnet):
    content = json.loads(cli("inspect", convnet / "model.pte", "--json", "--plan"))
    (method,) = content["methods"]
    assert method["inputs"] == ["float32[2, 3, 16, 16]"] and method["missing_operators"] == []
    assert {"name": "aten::convolution.out", "calls": 3, "registered": True} in method["operators"]
    assert method["plan"] and method["plan_bytes"] > 0


def test_opt_in_operators_are_there(cli, data):
    content = json.loads(cli("inspect", data / "cases" / "int8_linear_portable" / "model.pte", "--json"))
    (method,) = content["methods"]
    assert method["missing_operators"] == []
    assert any(op["name"].startswith("quantized_decomposed::") for op in method["operators"])


def test_run(cli, convnet, tmp_path):
    calls = np.load(convnet / "calls.npz")
    np.save(tmp_path / "x.npy", calls["c0_in0"])
    cli("run", convnet / "model.pte", "--input", tmp_path / "x.npy", "--output-dir", tmp_path / "out")
    np.testing.assert_allclose(np.load(tmp_path / "out" / "output_0.npy"), calls["c0_out0"], rtol=1e-4, atol=1e-5)
    assert "float32[2, 5]" in cli("run", convnet / "model.pte", "--input", tmp_path / "x.npy")


def test_bench(cli, convnet):
    figures = json.loads(cli("bench", convnet / "model.pte", "--seconds", "0.1", "--threads", "1", "--json"))
    assert figures["threads"] == 1 and 0 < figures["min_ms"] <= figures["p50_ms"] <= figures["p99_ms"]
    assert figures["load_ms"] > 0 and figures["peak_rss_bytes"] > 1e6


@pytest.mark.parametrize("command", [["bench", "--seconds", "0"], ["inspect", "--plan"]])
def test_cache_dir(cli, tmp_path, command):
    name, *options = command
    program = ROOT / "examples" / "digits" / "digits.pte"
    for _ in range(2):
        cli(name, program, *options, "--cache-dir", tmp_path / "cache")
    assert list((tmp_path / "cache").glob("*.packed"))


@pytest.mark.parametrize("command", ["inspect", "run", "bench", "profile", "doctor"])
def test_errors_are_one_sentence(cli, command, tmp_path):
    text = cli(command, tmp_path / "missing.pte", expect=1)
    assert "missing.pte" in text and "Traceback" not in text


def test_wrong_input(cli, convnet, tmp_path):
    np.save(tmp_path / "x.npy", np.zeros((1, 3, 16, 16), np.float64))
    assert "input 0" in cli("run", convnet / "model.pte", "--input", tmp_path / "x.npy", expect=1)
    assert "neither" in cli("run", convnet / "model.pte", "--input", "words", expect=1)
