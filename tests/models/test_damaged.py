"""Damaged files: whatever the damage, a file runs or is refused with a sentence; the process lives."""

import importlib.util
import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "data" / "programs" / "add_mul" / "model.pte"


def load_mutator():
    spec = importlib.util.spec_from_file_location("mutate", ROOT / "fuzz" / "mutate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(4))
def test_no_damaged_file_crashes_hangs_or_is_refused_in_silence(seed, tmp_path):
    mutate = load_mutator()
    outcomes, problems = mutate.run_batch(list(mutate.jobs(100, seed, tmp_path)))
    assert not problems, "\n".join(problems)
    assert len(outcomes) == 100
    assert outcomes.count("refused") > 50


def test_undamaged_files_are_no_problem(tmp_path):
    mutate = load_mutator()
    programs = sorted(path for path in (ROOT / "tests" / "data" / "programs").rglob("*.pte") if path.stat().st_size < 100_000)
    batch = [{"file": str(path), "victim": str(path), "data": [str(file) for file in sorted(path.parent.glob("*.ptd"))] or None,
              "plan": True, "verification": "Minimal"} for path in programs]  # fmt: skip
    outcomes, problems = mutate.run_batch(batch)
    assert not problems, "\n".join(problems)
    assert outcomes == ["ran"] * len(programs)


@pytest.mark.parametrize("name, shown", [(b"f\xffrw\xc3rd", "f\\xffrw\\xc3rd"), (b"%s%n%5$", "%s%n%5$")])
def test_names_need_not_be_text(name, shown):
    from executorch.runtime import Runtime

    content = PROGRAM.read_bytes()
    assert content.count(b"forward") == 1
    program = Runtime.get().load_program(content.replace(b"forward", name))
    assert list(program.method_names) == [shown]
    with pytest.raises((RuntimeError, KeyError)):
        program.load_method("forward")


def test_operator_names_are_no_formats():
    from executorch.runtime import Runtime

    content = PROGRAM.read_bytes()
    assert content.count(b"aten::mm") == 1
    with pytest.raises(RuntimeError, match="%s::%n"):
        Runtime.get().load_program(content.replace(b"aten::mm", b"%s::%n%n")).load_method("forward")
