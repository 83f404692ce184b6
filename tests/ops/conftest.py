"""Starts the server for the operators that the chosen tests need, and prints what was covered."""

import json
import os
import pathlib
import subprocess
import sys
import time
from collections import Counter

import pytest

from ops import calling, report

SEED = 20240801


def instruction_sets() -> list[str]:
    """Those that this CPU has, the best first."""
    flags = pathlib.Path("/proc/cpuinfo").read_text()
    known = {"avx512": "avx512_vnni", "avx2": " avx2", "i8mm": " i8mm", "dotprod": " asimddp"}
    return [name for name, flag in known.items() if flag in flags] + ["baseline"]


def schemas() -> dict[str, str | None]:
    library = calling.library()
    return {name: library._get_operator_schema(name) for name in library._get_operator_names()}


class Results:
    """What the server found, per operator; waits for it."""

    def __init__(self, folder: pathlib.Path, wanted: list[str], everything: bool):
        self._folder = folder
        self.all: dict[str, dict] = {}
        request = {
            "rows": schemas(), "wanted": wanted, "sets": instruction_sets(), "seed": SEED, "everything": everything,
            "workers": min(len(os.sched_getaffinity(0)), 8), "folder": str(folder),
        }  # fmt: skip
        (folder / "request").write_text(json.dumps(request))
        self._log = open(folder / "log", "w")
        search = [str(pathlib.Path(__file__).parent.parent), *sys.path]
        self._server = subprocess.Popen(
            [sys.executable, "-m", "ops.server", str(folder / "request")], stdout=self._log, stderr=self._log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, search))},
        )  # fmt: skip

    def __getitem__(self, name: str) -> dict:
        path = self._folder / f"{name}.json"
        while not path.exists():
            if self._server.poll() is not None and not path.exists():
                pytest.fail(f"the server ended early: {(self._folder / 'log').read_text()[-3000:]}")
            time.sleep(0.05)
        if name not in self.all:
            self.all[name] = json.loads(path.read_text())
        return self.all[name]

    def close(self) -> None:
        self._server.kill()
        self._server.wait()
        self._log.close()


@pytest.fixture(scope="session")
def results(request, tmp_path_factory):
    wanted = [item.callspec.params["name"] for item in request.session.items if "results" in item.fixturenames]
    everything = request.config.getoption("--all-samples")
    found = Results(tmp_path_factory.mktemp("ops"), list(Counter(wanted)), everything)
    request.config.stash[report.RESULTS] = found
    yield found
    found.close()


def pytest_generate_tests(metafunc):
    if "results" not in metafunc.fixturenames:
        return
    if "configuration" not in metafunc.fixturenames:
        metafunc.parametrize("name", schemas())
        return
    parameters = [
        (name, configuration)
        for name in schemas()
        for configuration in (*instruction_sets(), "outs", "kinds", "hostile")
    ]
    metafunc.parametrize("name, configuration", parameters, ids=[f"{n}-{c}" for n, c in parameters])


def pytest_terminal_summary(terminalreporter, config):
    found = config.stash.get(report.RESULTS, None)
    if found is not None:
        report.write(terminalreporter, found.all, config.getoption("--coverage-page"))
