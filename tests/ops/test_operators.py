"""Each operator against PyTorch eager: values, layouts, types, outs and damaged arguments."""

import pytest

from ops import gaps, report

_SHOWN = 6


def test_operator_agrees_with_pytorch(results, name, configuration):
    if name in gaps.NOT_RUN:
        pytest.skip(gaps.NOT_RUN[name])
    result = results[name]
    assert "broken" not in result, result["broken"]
    assert result["samples"] > 0, f"no sample of {name}: add one to handwritten.py"
    verdict = result["configurations"][configuration]
    failures = verdict["failures"]
    shown = "\n".join(failures[:_SHOWN])
    assert not failures, f"{len(failures)} calls of {name} failed ({configuration}):\n{shown}"


def test_every_type_that_pytorch_supports_is_tried(results, name):
    if name in gaps.NOT_RUN:
        pytest.skip(gaps.NOT_RUN[name])
    untested = [dtype for dtype, mark in report.cells(results[name]).items() if mark == report.UNTESTED]
    assert not untested, f"PyTorch supports them for {name}, no sample tries them: {untested}"
