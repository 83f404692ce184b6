"""Programs made from a seed: operator kinds and orders, ranks, odd widths, dialects and memory plans all vary.

`build(seed)` gives the Spec of a program; seeds in a row go through all families.
"""

import torch

from generated_programs import branches, elementwise, images, layouts, reductions, sequences, state
from generated_programs.pick import Pick

FAMILIES = [*images.FAMILIES, *sequences.FAMILIES, *elementwise.FAMILIES, *layouts.FAMILIES, *reductions.FAMILIES,
            *state.FAMILIES, *branches.FAMILIES]  # fmt: skip


def memory_plans():
    """What may be said about inputs, outputs and constants when a program is written; None is the exporter's default."""
    from executorch.exir import ExecutorchBackendConfig
    from executorch.exir.passes import MemoryPlanningPass

    def unplanned(**where):
        return ExecutorchBackendConfig(memory_planning_pass=MemoryPlanningPass(**where))

    return [
        lambda: None,
        lambda: unplanned(alloc_graph_input=False),
        lambda: unplanned(alloc_graph_output=False),
        lambda: unplanned(alloc_graph_input=False, alloc_graph_output=False),
        lambda: ExecutorchBackendConfig(external_constants=True),
    ]


def build(seed):
    family = FAMILIES[seed % len(FAMILIES)]
    torch.manual_seed(seed)
    pick = Pick(seed)
    spec = family(pick)
    plan = pick.choice(memory_plans()) if pick.chance(0.6) else memory_plans()[0]
    spec.config = spec.config or plan()
    spec.dim_order = pick.chance(0.7)
    return spec
