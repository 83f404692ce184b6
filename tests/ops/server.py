"""
Works through operators: python -m ops.server REQUEST.json. Has PyTorch's operator database loaded once and forks a child
per operator. The request: {"rows": {name: schema}, "wanted": [name], "sets": [...], "seed": n, "everything": bool,
"workers": n, "folder": DIR}; DIR receives one file per operator.
"""

import json
import os
import pathlib
import sys

import torch

from ops import jobs, sources
from ops.processes import die_with_parent, wait_for_any
from ops.rows import parse_rows


def _work(row, request: dict, path: pathlib.Path) -> None:
    """In a child of its own: PyTorch may crash on a sample too."""
    status = 1
    die_with_parent()
    try:
        amount = jobs.Amount.of(request["everything"])
        jobs.write(jobs.run_row(row, request["sets"], request["seed"], amount), path)
        status = 0
    except BaseException:  # noqa: BLE001  the parent reports that the file is missing
        import traceback

        path.with_suffix(".error").write_text(traceback.format_exc())
    finally:
        os._exit(status)


def main() -> None:
    die_with_parent()
    request = json.loads(pathlib.Path(sys.argv[1]).read_text())
    torch.set_num_threads(1)  # threads do not survive a fork
    rows = parse_rows(request["rows"])
    folder = pathlib.Path(request["folder"])
    sources.database()
    running: dict[int, str] = {}

    def finish_one() -> None:
        pid, status = wait_for_any(running)
        name = running.pop(pid)
        path = folder / f"{name}.json"
        if not path.exists():
            error = path.with_suffix(".error")
            text = error.read_text() if error.exists() else f"the collecting process ended with status {status}"
            jobs.write({"row": name, "broken": text}, path)

    for name in request["wanted"]:
        while len(running) >= request["workers"]:
            finish_one()
        pid = os.fork()
        if pid == 0:
            _work(rows[name], request, folder / f"{name}.json")
        running[pid] = name
    while running:
        finish_one()


if __name__ == "__main__":
    main()
