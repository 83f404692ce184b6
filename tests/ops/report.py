"""What a run covered: pairs of operator and element type, and gaps with their reasons."""

import pathlib
from collections import Counter, defaultdict

import pytest

from ops import gaps

RESULTS = pytest.StashKey()

COLUMNS = {
    "bool": "b", "uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "float16": "f16",
    "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128", "none": "-",
}  # fmt: skip
COVERED, PARTLY, GAP, FAILED, UNTESTED = "+", "~", "o", "F", "?"
_LEGEND = f"{COVERED} agrees with PyTorch, {PARTLY} some calls are refused, {GAP} refused, {FAILED} fails, blank: not supported by PyTorch"


def _sum(result: dict, part: str) -> Counter:
    total = Counter()
    for verdict in result.get("configurations", {}).values():
        total.update(verdict[part])
    return total


def reasons(result: dict) -> dict[str, set[str]]:
    """Why calls were refused that PyTorch accepts, by element type."""
    found = defaultdict(set)
    for verdict in result.get("configurations", {}).values():
        for dtype, why in verdict["gaps"].items():
            found[dtype].update(why)
    passed = _sum(result, "passed")
    for dtype in result.get("supported", []):
        if not passed[dtype] and not found[dtype] and dtype.startswith("complex"):
            found[dtype].add(gaps.COMPLEX)
    return {dtype: why for dtype, why in found.items() if why}


def cells(result: dict) -> dict[str, str]:
    """What became of each element type that PyTorch supports for the operator."""
    passed, failed, refused = _sum(result, "passed"), _sum(result, "failed"), reasons(result)
    found = {}
    for dtype in result.get("supported", []):
        if failed[dtype]:
            found[dtype] = FAILED
        elif dtype in refused:
            found[dtype] = PARTLY if passed[dtype] else GAP
        else:
            found[dtype] = COVERED if passed[dtype] else UNTESTED
    return found


def _items(names_by_reason) -> str:
    return "".join(f"- {why}: {', '.join(f'`{n}`' for n in names)}\n" for why, names in sorted(names_by_reason.items()))


class Coverage:
    """The results of a run as a table."""

    def __init__(self, results: dict[str, dict]):
        self.table = {name: cells(result) for name, result in sorted(results.items())}
        self.calls = sum(sum(_sum(result, "passed").values()) for result in results.values())
        self.gaps: dict[str, Counter] = defaultdict(Counter)  # reason -> operators, with the number of types
        for name, result in sorted(results.items()):
            for why in reasons(result).values():
                for text in why:
                    self.gaps[text][name] += 1

    def summary(self) -> str:
        def count(complex_types: bool, *marks):
            return sum(
                mark in marks for row in self.table.values() for t, mark in row.items() if t.startswith("complex") == complex_types
            )

        everything = (COVERED, PARTLY, GAP, FAILED, UNTESTED)
        covered, pairs = count(False, COVERED, PARTLY), count(False, *everything)
        texts = [
            f"{len(self.table)} operators, {pairs} pairs of operator and real element type that PyTorch supports: {covered} covered",
            f"{count(False, GAP)} refused for a reason, {count(False, FAILED)} failed, {count(False, UNTESTED)} untested",
            f"complex: {count(True, COVERED, PARTLY)} of {count(True, *everything)} covered",
        ]
        return "; ".join(texts)

    def lines(self) -> list[str]:
        """A row per operator, the marks in columns."""
        widths = {long: max(len(short), 2) for long, short in COLUMNS.items()}
        head = f"{'':<58}" + " ".join(f"{short:>{widths[long]}}" for long, short in COLUMNS.items())
        rows = [
            f"{name:<58}" + " ".join(f"{row.get(long, ''):>{width}}" for long, width in widths.items())
            for name, row in self.table.items()
        ]
        return [head, *rows]

    def page(self) -> str:
        """The same for the documentation."""
        text = "# Element types of the operators\n\n"
        text += "Each operator against PyTorch on the CPU, as `./dev test-ops --coverage-page docs/operator-types.md` found them.\n\n"
        text += f"{self.summary()}.\n\n{_LEGEND}.\n\n| operator | " + " | ".join(COLUMNS.values()) + " |\n"
        text += "|---" * (len(COLUMNS) + 1) + "|\n"
        for name, row in self.table.items():
            text += f"| `{name}` | " + " | ".join(row.get(long, "") for long in COLUMNS) + " |\n"
        text += "\n## What is refused although PyTorch accepts it\n\n"
        text += _items(self.gaps)
        text += "\n## Operators that the exporter may leave in a program and that are not implemented\n\n"
        return text + _items(gaps.OUT_OF_SCOPE)


def write(terminal, results: dict[str, dict], page: str | None) -> None:
    coverage = Coverage(results)
    terminal.section("operators: element types")
    terminal.write_line(_LEGEND)
    for line in coverage.lines():
        terminal.write_line(line)
    terminal.write_line(f"{coverage.summary()}; {coverage.calls} calls agreed")
    terminal.section("operators: what is knowingly not supported")
    for name, why in gaps.NOT_RUN.items():
        terminal.write_line(f"{name}: {why}")
    for why, names in sorted([*coverage.gaps.items(), *gaps.OUT_OF_SCOPE.items()]):
        terminal.write_line(f"{why}: {', '.join(names)}")
    if page:
        pathlib.Path(page).write_text(coverage.page())
