"""One operator's work: collecting its samples, then replaying them on each instruction set."""

import json
import os
import pathlib
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from ops import calling, gaps, hostile, kinds, outs, probing, sources, variants
from ops.processes import ended_in_foreign_code, limit_memory, run_isolated
from ops.recording import Sample
from ops.rows import Row

SANITIZED = "libclang_rt" in os.environ.get("LD_PRELOAD", "")
CALL_TIMEOUT = 600.0 if SANITIZED else 60.0
MEMORY = 6 << 30  # address space that collecting samples, or replaying them, may take


@dataclass
class Amount:
    """How much one run tries of each operator."""

    everything: bool
    per_dtype: int  # samples
    variants: int  # samples of which variants are made
    other_sets: int  # samples on instruction sets other than the best
    hostile: int  # damaged calls
    kinds: int  # samples that are made difficult

    @classmethod
    def of(cls, everything: bool) -> "Amount":
        return cls(True, 0, 400, 0, 1500, 60) if everything else cls(False, 4, 8, 40, 40, 3)


@dataclass
class Verdict:
    """What became of one operator's samples in one configuration."""

    passed: Counter = field(default_factory=Counter)  # by element type
    failures: list[str] = field(default_factory=list)
    failed: Counter = field(default_factory=Counter)  # by element type
    gaps: dict[str, Counter] = field(default_factory=lambda: defaultdict(Counter))  # by element type and reason

    def plain(self) -> dict:
        return vars(self)

    def add(self, sample: Sample, outcome: str | None) -> None:
        if outcome is None:
            self.passed[sample.dtype] += 1
            return
        why = gaps.reason(sample) if outcome.startswith("refused") else None
        if why:
            self.gaps[sample.dtype][why] += 1
        else:
            self.failed[sample.dtype] += 1
            self.failures.append(f"{sample}\n    {outcome}")


def _replay(sample: Sample) -> str | None:
    return calling.replay_with_threads(sample) if sample.kind == "large" else calling.replay(sample)


def _values(samples: list[Sample], instruction_set: str) -> Verdict:
    verdict = Verdict()
    environment = {"EXECUTORCH_CPU": instruction_set}
    for sample, outcome in zip(
        samples, run_isolated(len(samples), lambda i: _replay(samples[i]), environment, CALL_TIMEOUT), strict=True
    ):
        verdict.add(sample, outcome)
    return verdict


def _outs(samples: list[Sample], seed: int) -> Verdict:
    verdict = Verdict()

    def body(i):
        return outs.check_outs(samples[i], sources.seed_everything(seed, samples[i].row.name, i))

    for sample, outcome in zip(samples, run_isolated(len(samples), body, {}, CALL_TIMEOUT), strict=True):
        verdict.add(sample, outcome)
    return verdict


def _kinds(samples: list[Sample], seed: int) -> Verdict:
    verdict = Verdict()
    calls = []
    for i, sample in enumerate(samples):
        calls += kinds.difficult(sample, sources.seed_everything(seed, "kinds", sample.row.name, i))
    outcomes = run_isolated(len(calls), lambda i: kinds.check(calls[i]), {}, CALL_TIMEOUT)
    ended = [i for i, outcome in enumerate(outcomes) if ended_in_foreign_code(outcome)]
    again = run_isolated(len(ended), lambda i: kinds.check_harmless(calls[ended[i]]), {}, CALL_TIMEOUT)
    for i, outcome in zip(ended, again, strict=True):
        outcomes[i] = outcome
    for call, outcome in zip(calls, outcomes, strict=True):
        verdict.add(call, outcome)
    plain = [s for s in samples if s.kind == "values" and s.expected and not s.check]
    for call, outcome in zip(plain, run_isolated(len(plain), lambda i: kinds.overlapping(plain[i]), {}, CALL_TIMEOUT), strict=True):
        verdict.add(call, outcome)
    return verdict


def _hostile(samples: list[Sample], count: int, seed: int) -> Verdict:
    verdict = Verdict()
    if not samples:
        return verdict
    calls = []
    for i in range(count):
        rng = sources.seed_everything(seed, "hostile", samples[0].row.name, i)
        calls.append(hostile.damaged(rng.choice(samples), rng))

    def body(i):
        if i == count:
            return hostile.wrong_counts(samples[0])
        return hostile.check(calls[i], sources.seed_everything(seed, i))

    outcomes = run_isolated(count + 1, body, {}, CALL_TIMEOUT)
    for call, outcome in zip([*calls, samples[0]], outcomes, strict=True):
        verdict.add(call, None if ended_in_foreign_code(outcome) else outcome)
    return verdict


def _is_small(sample: Sample) -> bool:
    return all(t.numel() <= 20_000 for t in variants.tensors_in([sample.inputs, sample.expected]))


def run_row(row: Row, sets: list[str], seed: int, amount: Amount) -> dict:
    """All work on one operator: what server.py writes and the tests read."""
    started = time.monotonic()
    limit_memory(MEMORY)
    samples = sources.samples_of(row, seed, amount.everything, amount.per_dtype)
    rng = sources.seed_everything(seed, "choice", row.name)
    samples += probing.types_without_samples(row, samples, rng)
    accepted = [s for s in samples if s.error is None]
    some = rng.sample(accepted, min(len(accepted), amount.variants))
    extra = [v for s in some for v in variants.layouts(s, rng)]
    extra += [v for s in some[: max(3, amount.variants // 20)] for v in [variants.enlarged(s)] if v]
    samples += extra
    supported = sorted({s.dtype for s in accepted} | probing.types_of_draws(row, accepted))
    result = {"row": row.name, "samples": len(samples), "supported": supported, "configurations": {}}
    for i, instruction_set in enumerate(sets):
        part = samples
        if i > 0 and amount.other_sets:
            part = rng.sample(samples, min(len(samples), amount.other_sets))
        result["configurations"][instruction_set] = _values(part, instruction_set).plain()
    small = [s for s in some if _is_small(s)]
    result["configurations"]["outs"] = _outs(small, seed).plain()
    result["configurations"]["kinds"] = _kinds(small[: amount.kinds], seed).plain()
    result["configurations"]["hostile"] = _hostile(small, amount.hostile, seed).plain()
    result["seconds"] = time.monotonic() - started
    return result


def write(result: dict, path: pathlib.Path) -> None:
    """Complete or not there at all: the tests poll for it."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(result))
    unfinished.rename(path)
