"""The harness itself: what it must notice."""

import ctypes
import os
import signal
import time

import pytest
import torch

from ops import compare, jobs
from ops.memory import Guarded, is_dense
from ops.processes import ended_in_foreign_code, foreign_code, run_isolated
from ops.recording import record
from ops.rows import parse_rows

ADD = "aten::add.out"
ADD_NUMBER = "aten::add.Scalar_out"
SCHEMAS = {
    ADD: "(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)",
    ADD_NUMBER: "(Tensor self, Scalar other, Scalar alpha=1, *, Tensor(a!) out) -> Tensor(a!)",
}


@pytest.fixture
def rows():
    return parse_rows(SCHEMAS)


def test_rows_find_the_overloads_that_compute_the_same(rows):
    assert rows[ADD].twin is torch.ops.aten.add.Tensor
    assert rows[ADD_NUMBER].twin is torch.ops.aten.add.Scalar
    assert torch.ops.aten.add.Tensor in rows[ADD_NUMBER].scalarised


def test_calls_are_recorded_with_results_and_refusals(rows):
    x = torch.tensor([1.0, 2.0])
    [sample] = record([rows[ADD]], lambda: torch.add(x, x, alpha=3))
    assert sample.inputs[2] == 3 and sample.expected[0].tolist() == [4.0, 8.0]
    [refused] = record([rows[ADD]], lambda: x + torch.ones(3))
    assert refused.error


@pytest.mark.parametrize(
    "ours, expected",
    [
        (torch.tensor([1.0]), torch.tensor([1.0001])),
        (torch.tensor([float("nan")]), torch.tensor([1.0])),
        (torch.tensor([float("inf")]), torch.tensor([3e38])),
        (torch.tensor([1]), torch.tensor([2])),
        (torch.tensor([1]), torch.tensor([1], dtype=torch.int32)),
        (torch.zeros(2), torch.zeros(3)),
    ],
)
def test_differences_are_noticed(rows, ours, expected):
    assert compare.difference(rows[ADD], ours, ours, 1.0) is None
    assert compare.difference(rows[ADD], ours, expected, 1.0)


def test_a_bool_that_is_neither_0_nor_1_is_noticed(rows):
    bad = torch.tensor([2], dtype=torch.uint8).view(torch.bool)
    assert compare.difference(rows[ADD], bad, torch.tensor([True]), 1.0)


def test_a_write_in_front_of_a_tensor_is_noticed():
    guarded = Guarded.copy_of(torch.arange(5.0))
    assert guarded.damage() is None
    ctypes.memset(guarded.flat.data_ptr() - 1, 0, 1)
    assert guarded.damage()
    guarded.close()


def test_a_read_behind_a_tensor_crashes():
    guarded = Guarded.copy_of(torch.arange(3, dtype=torch.int8))
    address = guarded.flat.data_ptr()
    [outcome] = run_isolated(1, lambda _: ctypes.string_at(address, 4)[0], {}, 20)
    assert "SIGSEGV" in outcome or "SIGBUS" in outcome or (jobs.SANITIZED and "ends the process" in outcome)
    guarded.close()


def test_crashes_and_hangs_are_outcomes_and_the_rest_still_runs():
    def body(i):
        if i == 1:
            os.kill(os.getpid(), signal.SIGABRT)
        if i == 2:
            time.sleep(60)
        return os.environ["MARK"] + str(i)

    first, crash, hang, last = run_isolated(4, body, {"MARK": "m"}, 5.0)
    assert (first, last) == ("m0", "m3")
    assert "SIGABRT" in crash and "hangs" in hang


def test_crashes_are_blamed_on_who_runs():
    def body(i):
        with foreign_code():
            if i == 1:
                os.kill(os.getpid(), signal.SIGABRT)
        if i == 3:
            os.kill(os.getpid(), signal.SIGABRT)

    outcomes = run_isolated(4, body, {}, 20)
    assert [ended_in_foreign_code(outcome) for outcome in outcomes] == [False, True, False, False]
    assert "SIGABRT" in outcomes[3]


def test_layouts_keep_their_order():
    last = torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    guarded = Guarded.like(last)
    assert guarded.tensor.stride() == last.stride() and is_dense(last)
    assert not is_dense(torch.zeros(4, 4)[:, ::2])
    guarded.close()
