"""Replays a Sample on our operator."""

import functools
from dataclasses import replace

import torch

from ops import compare
from ops.memory import Guarded
from ops.recording import Sample, run_in_double, tensors_in
from ops.rows import is_written

_MEMORY_FORMATS = {torch.contiguous_format: 0, torch.preserve_format: 1, torch.channels_last: 2, torch.channels_last_3d: 3}
_DTYPE_CODES = {
    torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
    torch.float64: 7, torch.complex32: 8, torch.complex64: 9, torch.complex128: 10, torch.bool: 11, torch.bfloat16: 15,
}  # fmt: skip


@functools.cache
def library():
    """Our Python extension, loaded here for the first time: the environment says which instruction set it uses."""
    import executorch.extension.llm.custom_ops.custom_ops
    import executorch.kernels.quantized  # noqa: F401
    from executorch.extension.pybindings import _portable_lib

    return _portable_lib


class Refused(Exception):
    """The operator returned an error."""


def plain(value):
    """A value as a program carries it."""
    if isinstance(value, torch.dtype):
        return _DTYPE_CODES[value]
    if isinstance(value, torch.memory_format):
        return _MEMORY_FORMATS[value]
    return value


class Call:
    """One call in guarded memory. Use as a context manager."""

    def __init__(self, sample: Sample, outs: list | None = None):
        """`outs`: a tensor, or list of tensors, per out whose sizes, layout and type count; else those expected."""
        self._sample = sample
        self._all: list[Guarded] = []
        self._written: list[Guarded] = []
        row = sample.row
        self._arguments = [self._place(v, is_written(a)) for a, v in zip(row.inputs, sample.inputs)]
        if outs is None:
            outs = sample.expected[len(sample.expected) - len(row.outs) :] if row.outs else []
        self._arguments += [self._place_out(out) for out in outs]
        self.originals = [g.flat.clone() for g in self._all]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._arguments = None
        for guarded in self._all:
            guarded.close()

    def _place(self, value, written: bool):
        if isinstance(value, torch.Tensor):
            guarded = Guarded.copy_of(value)
            self._keep(guarded, written)
            return guarded.tensor
        if isinstance(value, (list, tuple)):
            return [self._place(item, written) for item in value]
        return plain(value)

    def _place_out(self, out):
        if isinstance(out, (list, tuple)):
            return [self._place_out(item) for item in out]
        guarded = Guarded.like(out)
        self._keep(guarded, True)
        return guarded.tensor

    def _keep(self, guarded: Guarded, written: bool) -> None:
        self._all.append(guarded)
        if written:
            self._written.append(guarded)

    @property
    def arguments(self) -> list:
        return self._arguments

    def run(self):
        """Calls the operator: the written tensors (valid inside the context), or what it returned. Raises Refused."""
        try:
            outcome = library()._call_operator(self._sample.row.name, self._arguments, seed=self._sample.seed)
        except (RuntimeError, TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
            raise Refused(str(error)) from None
        if not self._written:
            return outcome
        return [g.with_sizes(list(sizes)) for g, sizes in zip(self._written, outcome, strict=True)]

    def damage(self) -> str | None:
        for guarded, original in zip(self._all, self.originals, strict=True):
            if guarded.damage():
                return guarded.damage()
            if guarded not in self._written and not compare.same_bits(guarded.flat, original):
                return "changed an input"
        return None


def _leaves_a_choice(sample: Sample) -> bool:
    """Whether several answers are right, since equal elements may stand for each other."""
    row = sample.row
    if row.name == "aten::sort.values_stable":
        return sample.inputs[1] is not True
    if row.base == "argsort":
        return sample.inputs[1] is not True
    return len(row.outs) == 2 and row.base in ("topk", "sort", "kthvalue", "median", "nanmedian", "mode")


def _judge_choice(sample: Sample, results, expected) -> str | None:
    row, inputs = sample.row, sample.inputs
    if row.base == "argsort":
        dim = inputs[2] if len(inputs) == 4 else inputs[1]
        sorted_by = [inputs[0].gather(dim, order) if inputs[0].dim() else inputs[0] for order in (results[0], expected[0])]
        return compare.order_difference(row, inputs[0], dim, True, [sorted_by[0], results[0]], [sorted_by[1], expected[0]])
    if row.base == "topk":
        return compare.order_difference(row, inputs[0], inputs[2], inputs[4], results, expected)
    if row.base == "sort":
        return compare.order_difference(row, inputs[0], inputs[-2], True, results, expected)
    return compare.choice_difference(row, inputs, results, expected)


def judge(sample: Sample, results) -> str | None:
    """Compares what an operator wrote or returned."""
    if sample.check is not None:
        return sample.check(results)
    if not sample.expected:
        same = type(results) is type(sample.returned) and (results == sample.returned or results != results)
        return None if same else f"returned {results!r}, expected {sample.returned!r}"
    expected = list(tensors_in(sample.expected))
    if sample.row.base.startswith("_embedding_bag"):
        # PyTorch's kernels and its shape inference disagree on what accompanies the result for gradients.
        results, expected = results[:1], expected[:1]
    if sample.row.base in ("_linalg_det", "_linalg_slogdet"):
        # Which of a matrix and its transpose PyTorch factors depends on the layout.
        results, expected = results[:-2], expected[:-2]
    if sample.row.base == "polygamma":
        # PyTorch has few digits between the poles, and finite numbers at them.
        regular = sample.inputs[1] > 0
        results, expected = [results[0][regular]], [expected[0][regular]]
    if len(results) != len(expected):
        return f"wrote {len(results)} tensors, expected {len(expected)}"
    if _leaves_a_choice(sample):
        return _judge_choice(sample, results, expected)
    scale = compare.scale_of(sample.row, sample.inputs, sample.expected)
    for i, (ours, theirs) in enumerate(zip(results, expected)):
        text = compare.difference(sample.row, ours, theirs, scale)
        if text:
            return text if len(expected) == 1 else f"result {i}: {text}"
    return None


def replay(sample: Sample) -> str | None:
    """None when our operator does what PyTorch did, else a sentence."""
    with Call(sample) as call:
        try:
            results = call.run()
        except Refused as refusal:
            return None if sample.error else f"refused: {refusal}"
        if sample.error:
            return f"accepted what PyTorch refuses: {sample.error}"
        return judge(sample, results) or call.damage()


def _judge_sum(sample: Sample, results) -> str | None:
    """As judge. PyTorch adds up many numbers carelessly at times: what it gives in double precision is right, too."""
    text = judge(sample, results)
    if text is None or sample.row.namespace != "aten":
        return text
    try:
        expected = run_in_double(sample)
    except (RuntimeError, ValueError, TypeError, NotImplementedError):
        return text
    return text if judge(replace(sample, expected=expected), results) else None


def replay_with_threads(sample: Sample) -> str | None:
    """As replay, and the bits must be the same with one and with several threads."""
    outcomes = []
    for threads in (1, 4):
        library()._unsafe_reset_threadpool(threads)
        with Call(sample) as call:
            try:
                results = call.run()
            except Refused as refusal:
                return f"refused: {refusal}"
            text = _judge_sum(sample, results) or call.damage()
            if text:
                return f"with {threads} threads: {text}"
            outcomes.append([result.clone() for result in results])
    for one, several in zip(*outcomes):
        if not compare.same_bits(one, several):
            return "results with 1 and with 4 threads differ in their bits"
    return None
