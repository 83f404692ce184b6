"""docs/OPS.md lists the operators that the wheel registers."""

from conftest import ROOT


def test_page_is_current(run_python):
    tool = ROOT / "tools" / "operator_reference.py"
    # In a process of its own: the opt-in libraries must not reach other tests.
    made = run_python("import runpy, sys; print(runpy.run_path(sys.argv[1])['reference'](), end='')", str(tool))
    assert (ROOT / "docs" / "OPS.md").read_text() == made, "run tools/operator_reference.py docs/OPS.md"
