"""What a run covered: operators, element types, gaps."""

from collections import Counter, defaultdict

import pytest

RESULTS = pytest.StashKey()

_COLUMNS = {
    "bool": "b", "uint8": "u8", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "float16": "f16",
    "bfloat16": "bf16", "float32": "f32", "float64": "f64", "complex64": "c64", "complex128": "c128", "none": "-",
}  # fmt: skip


def _line(name: str, result: dict) -> str:
    passed = Counter()
    failures = 0
    for verdict in result.get("configurations", {}).values():
        passed.update(verdict["passed"])
        failures += len(verdict["failures"])
    cells = [f"{short}:{passed[long]}" for long, short in _COLUMNS.items() if passed[long]]
    return f"{name:<55} {' '.join(cells)}" + (f"  FAILED:{failures}" if failures else "")


def write(terminal, results: dict[str, dict]) -> None:
    terminal.section("operators: calls that agreed with PyTorch, by element type")
    gaps = defaultdict(Counter)
    for name, result in sorted(results.items()):
        terminal.write_line(_line(name, result))
        for verdict in result.get("configurations", {}).values():
            for why, count in verdict["gaps"].items():
                gaps[why][name] += count
    calls = sum(sum(v["passed"].values()) for r in results.values() for v in r.get("configurations", {}).values())
    terminal.write_line(f"{len(results)} operators, {calls} calls agreed")
    if gaps:
        terminal.section("operators: what is knowingly not supported")
    for why, names in sorted(gaps.items()):
        terminal.write_line(f"{why}: {', '.join(names)}")
