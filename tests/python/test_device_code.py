"""The reader of CUDA fat binaries and the check of a release's architectures, on files crafted here."""

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from executorch.cli import elf
from executorch.cli.device_code import coverage, fatbin

ROWS = [(train, machine) for train, entry in coverage.trains().items() for machine in entry["architectures"]]
PTX, CODE = fatbin.PTX, fatbin.MACHINE_CODE


def container(entries, version=1) -> bytes:
    """A fat binary of (kind, architecture[, flags]) entries, with payloads of different lengths."""
    body = b""
    for number, (kind, architecture, *flags) in enumerate(entries):
        payload = b"\x7fELF" + bytes(8 * number + 4)
        head = struct.pack("<HHIQIIHHIQQ", kind, 0x101, 64, len(payload), 0, 0, 0, 1, architecture, 0, sum(flags) | 0x11)
        body += head.ljust(64, b"\0") + payload
    return struct.pack("<IHHQ", fatbin.MAGIC, version, 16, len(body)) + body


def elf_file(**sections: bytes) -> bytes:
    """A 64-bit ELF file of sections whose names lack their first dot."""
    names, body, rows = b"\0", b"", [bytes(64)]

    def add(name: str, kind: int, content: bytes) -> None:
        nonlocal names, body
        rows.append(struct.pack("<IIQQQQIIQQ", len(names), kind, 0, 0, 64 + len(body), len(content), 0, 0, 1, 0))
        names += name.encode() + b"\0"
        body += content

    for name, content in sections.items():
        add(name if name.startswith("__") else f".{name}", 1, content)
    table = len(rows)
    add(".shstrtab", 3, names + b".shstrtab\0")
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, len(rows), table)
    return head + body + b"".join(rows)


def release(row) -> bytes:
    """A library as a release's must be: two containers, zeros between them, PTX for the newest."""
    entries = [(CODE, number) for number in row] + [(PTX, max(row))]
    return elf_file(nv_fatbin=container(entries) + bytes(24) + container(entries))


@pytest.fixture
def library(tmp_path):
    def write(content: bytes, name="libkernels.so"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def test_rows_are_what_releases_promise():
    assert len(ROWS) == 6 and {machine for _, machine in ROWS} == {"x86_64", "aarch64"}
    for train, machine in ROWS:
        row = coverage.row(train, machine)
        assert row == sorted(set(row)) and row[0] == 80 and max(row) == (90 if train == "cu126" else 120)
        entry = coverage.trains()[train]
        assert train == f"cu{entry['toolkit'].replace('.', '')}" and entry["toolkit"].split(".")[0] in entry["runtime"]


@pytest.mark.parametrize("train, machine", ROWS)
def test_complete_library_has_no_problems(library, train, machine):
    row = coverage.row(train, machine)
    assert fatbin.read(library(release(row))) == fatbin.DeviceCode(str(library(release(row))), set(row), {max(row)})
    assert coverage.check_folder(library(release(row)).parent, train, machine) == []


@pytest.mark.parametrize("train, machine", ROWS)
def test_every_difference_from_a_row_is_named(library, train, machine):
    row = coverage.row(train, machine)
    newest = max(row)

    def problems(entries) -> str:
        return "\n".join(coverage.check_folder(library(elf_file(nv_fatbin=container(entries))).parent, train, machine))

    full = [(CODE, number) for number in row]
    for number in row:
        text = problems([entry for entry in full if entry[1] != number] + [(PTX, newest)])
        assert text.endswith(f"has no machine code for sm_{number}")
    for number in (75, 101, 121):
        assert f"machine code for sm_{number}, which the row does not list" in problems([*full, (CODE, number), (PTX, newest)])
    assert f"must have PTX for sm_{newest} alone, it has none" in problems(full)
    for entries in ([(PTX, row[0])], [(PTX, number) for number in row]):
        assert f"must have PTX for sm_{newest} alone, it has sm_{row[0]}" in problems(full + entries)
    specific = [(CODE, number, 0x100000 if number == 90 else 0) for number in row]
    text = problems([*specific, (PTX, newest)])
    assert "no machine code for sm_90\n" in text and "has code for sm_90a alone" in text
    assert "has code for sm_100f alone" in problems([*full, (PTX, newest), (CODE, 100, 0x200000)])
    assert "unknown kind (4)" in problems([*full, (PTX, newest), (4, newest)])


def test_libraries_are_judged_one_by_one(library, cli):
    """Together the two have the whole row."""
    row = coverage.row("cu130", "x86_64")
    halves = [[(CODE, number) for number in part] + [(PTX, max(row))] for part in (row[:3], row[3:])]
    folder = library(elf_file(nv_fatbin=container(halves[0])), "liba.so").parent
    library(elf_file(nv_fatbin=container(halves[1])), "libb.so")
    found = coverage.check_folder(folder, "cu130", "x86_64")
    assert len(found) == 2 and all("no machine code" in text for text in found)
    text = cli("doctor", "--folder", folder, "--device-code", "cu130", "--machine", "x86_64", expect=1)
    assert f"liba.so has no machine code for sm_{row[3]}" in text.replace("\n", "")


def test_relocatable_code_is_seen(library):
    path = library(elf_file(text=b"host code", __nv_relfatbin=container([(CODE, 90)]), data=container([(CODE, 80)])))
    assert fatbin.read(path).machine_code == {90}


def test_folder_without_device_code(library, cli):
    folder = library(elf_file(text=b"host code")).parent
    (folder / "notes.txt").write_text("no ELF file")
    (folder / "empty").touch()
    assert coverage.libraries(folder) == []
    assert "holds no library with device code" in cli("doctor", "--folder", folder, "--device-code", "cu126", expect=1)


def test_unknown_rows_are_errors(cli, tmp_path):
    assert "the release train cu999 is not known, there are cu126, cu130, cu132" in cli(
        "doctor", "--folder", tmp_path, "--device-code", "cu999", expect=1
    )
    with pytest.raises(ValueError, match="cu130 is not built for riscv64"):
        coverage.row("cu130", "riscv64")
    assert (coverage.train_of_version("1.6.0+cu130"), coverage.train_of_version("1.6.0")) == ("cu130", None)


def test_this_package_has_no_device_code(package, cli):
    """It is the wheel for the CPU."""
    assert coverage.libraries(package) == []
    assert json.loads(cli("doctor", "--json"))["problems"] == []


def test_damaged_sections_are_errors(library):
    good = container([(CODE, 80), (PTX, 80)])
    for end in range(1, len(good)):
        with pytest.raises(ValueError, match="is damaged: the (container|entry) at byte"):
            fatbin.read(library(elf_file(nv_fatbin=good[:end])))
    for place, content, text in [
        (0, b"\x51", "its magic is 0xba55ed51"),
        (6, b"\x0f\0", "reaches over the end of its section"),
        (8, b"\xff" * 8, "reaches over the end of its section"),
        (16 + 4, b"\x10\0\0\0", "reaches over the end of its container"),
        (16 + 8, b"\xff" * 8, "reaches over the end of its container"),
    ]:
        with pytest.raises(ValueError, match=text):
            fatbin.read(library(elf_file(nv_fatbin=good[:place] + content + good[place + len(content) :])))


def test_a_table_beyond_the_last_byte_of_any_file(tmp_path):
    content = bytearray(release([80, 90]))
    content[40:48] = (2**64 - 1).to_bytes(8, "little")  # where the sections' table begins
    path = tmp_path / "beyond.so"
    path.write_bytes(content)
    for reader in (fatbin.read, elf.read):
        with pytest.raises(ValueError, match="is damaged"):
            reader(path)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_bytes_lead_astray(tmp_path_factory, data):
    """Whatever is changed, the answer is device code or a ValueError."""
    content = bytearray(release([80, 90]))
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(4, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "changed.so"
    path.write_bytes(content[: data.draw(st.integers(4, len(content)))])
    try:
        found = fatbin.read(path)
    except ValueError as error:
        assert "is damaged" in str(error)
    else:
        assert isinstance(found, fatbin.DeviceCode)
