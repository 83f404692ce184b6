"""Profiles: the command, its files, and the original's Inspector on them."""

import json
import re
import subprocess

import numpy as np
import pytest

from conftest import ROOT
from executorch.cli import etdump

INSPECT = """
import json, sys
from executorch.devtools import Inspector
blocks = Inspector(etdump_path=sys.argv[1]).event_blocks
rows = [[event.name, event._instruction_id, len(event.perf_data.raw)] for block in blocks if block.name == "Execute" for event in block.events]
print(json.dumps(rows))
"""


@pytest.fixture
def profile(cli, data, tmp_path):
    def run(program, *options):
        return json.loads(cli("profile", data / "programs" / program / "model.pte", "--runs", "3", "--json", *options))

    return run


def test_steps_of_a_plan(profile):
    figures = profile("convnet")
    assert figures["runs"] == 3
    names = [row["name"] for row in figures["rows"]]
    assert any("conv 3x3" in name for name in names) and all(row["kind"] == "step" for row in figures["rows"])
    assert len(names) >= 5 and len(set(names)) == len(names)
    assert sum(row["us"] for row in figures["rows"]) + figures["between_us"] == pytest.approx(figures["us"], rel=0.05)
    # conv 3x3 3->8 of [2, 3, 16, 16]: image, weight, bias and the result at 8x8
    (conv,) = [row for row in figures["rows"] if "conv 3x3 3->8" in row["name"]]
    assert conv["bytes"] == 4 * (2 * 3 * 16 * 16 + 8 * 3 * 9 + 8 + 2 * 8 * 8 * 8)
    assert conv["gb_per_s"] == pytest.approx(conv["bytes"] / conv["us"] / 1e3)


def test_operators_without_a_plan(profile):
    figures = profile("convnet", "--no-plan")
    assert all(row["kind"] == "kernel" for row in figures["rows"])
    assert [row["name"] for row in figures["rows"]].count("convolution.out") == 3


@pytest.mark.parametrize("options", [(), ("--no-plan",)])
def test_delegates_report_their_steps(profile, options):
    figures = profile("delegated_scale", *options)
    assert [row for row in figures["rows"] if row["kind"] == "step" and row["name"].startswith("#1 ")]


def test_trace_and_page(profile, tmp_path):
    profile("convnet", "--trace", tmp_path / "trace.json", "--html", tmp_path / "page.html")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    (whole,) = [event for event in events if event["name"] == "Method::execute"]
    assert all(event["ph"] == "X" and event["ts"] + event["dur"] <= whole["ts"] + whole["dur"] + 1 for event in events)
    assert any("conv 3x3" in event["name"] and event["args"]["bytes"] > 0 for event in events)
    page = (tmp_path / "page.html").read_text()
    assert "conv 3x3" in page and "<svg" in page and not re.search(r"(src|href)=|@import|url\(", page)


def test_table(cli, data):
    text = cli("profile", data / "programs" / "convnet" / "model.pte", "--runs", "2", "--top", "2")
    assert "share" in text and "GB/s" in text and "more" in text and "between them" in text


def test_inspector_of_the_original_reads_it(profile, tmp_path):
    python = ROOT / ".venv-original" / "bin" / "python"
    if not python.exists():
        pytest.skip("the original is not installed")
    path = tmp_path / "profile.etdp"
    figures = profile("convnet", "--etdump", path)
    result = subprocess.run([python, "-c", INSPECT, path], capture_output=True, text=True, check=True)
    rows = json.loads(result.stdout.splitlines()[-1])
    steps = {row["name"] for row in figures["rows"]}
    assert steps <= {name for name, _, _ in rows}
    assert {count for name, _, count in rows if name in steps} == {4}  # the first run is in the file as well


def test_damaged_files_are_errors(profile, tmp_path):
    path = tmp_path / "profile.etdp"
    profile("add_mul", "--etdump", path)
    whole = path.read_bytes()
    generator = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole[: generator.integers(12, len(whole))] if generator.integers(2) else whole)
        damaged[generator.integers(12, len(damaged))] = generator.integers(256)
        path.write_bytes(damaged)
        try:
            etdump.read(path)
        except ValueError:
            refused += 1
    assert refused > 50
    path.write_bytes(b"no profile at all")
    with pytest.raises(ValueError, match="no ETDump"):
        etdump.read(path)
