"""The wheel's version and dependencies, for scikit-build-core. EXECUTORCH_CUDA_TRAIN=cu130 makes them those of a CUDA wheel: with the
release train as local version label and the train's CUDA runtime, which is not bundled, as a dependency."""

import json
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ROOT / "python" / "executorch" / "cli" / "device_code" / "architectures.json"


def dynamic_metadata(settings, project):
    version, dependencies = (ROOT / "version.txt").read_text().strip(), ["numpy", "rich"]
    train = os.environ.get("EXECUTORCH_CUDA_TRAIN")
    if train:
        rows = json.loads(ROWS.read_text())
        if train not in rows:
            raise ValueError(f"EXECUTORCH_CUDA_TRAIN is {train!r}, there are {', '.join(rows)}")
        version += f"+{train}"
        dependencies.append(f"{rows[train]['runtime']}; sys_platform == 'linux'")
    return {"version": version, "dependencies": dependencies}
