"""Each operator against PyTorch eager: values, layouts, types, outs and damaged arguments."""

import pytest

from ops import gaps

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
