"""Work in child processes that may crash or hang."""

import contextlib
import ctypes
import faulthandler
import json
import os
import pathlib
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
from typing import Callable

MAX_RESTARTS = 8


def limit_memory(more: int) -> None:
    """This process, and those it forks, get at most so many bytes of address space beyond what it has now."""
    used = int(pathlib.Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + more, used + more))


def die_with_parent() -> None:
    """This process is killed when the one that started it ends, however that ends."""
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _child(body, start, count, environment, channel, log) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    die_with_parent()
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.update(environment)
    for i in range(start, count):
        try:
            outcome = body(i)
        except BaseException:  # noqa: BLE001  reported as the outcome of this piece
            outcome = "the test itself failed: " + traceback.format_exc(limit=-4)
        os.write(channel, (json.dumps(outcome) + "\n").encode())


_BEGINS, _ENDS = "[PyTorch runs", " and returns]"


@contextlib.contextmanager
def foreign_code():
    """Marks the time in which a crash of this process is not ours."""
    os.write(2, _BEGINS.encode())
    try:
        yield
    finally:
        os.write(2, _ENDS.encode())


def ended_in_foreign_code(outcome: str | None) -> bool:
    """Whether the outcome of a piece of work is a crash or hang between such marks."""
    failed = outcome is not None and outcome.startswith(("crashes", "hangs", "ends"))
    return failed and outcome.rfind(_BEGINS) > outcome.rfind(_ENDS)


def _read_lines(channel, timeout):
    """Yields lines until the other end closes; None once when nothing came for `timeout` seconds."""
    buffer = b""
    while True:
        ready, _, _ = select.select([channel], [], [], timeout)
        if not ready:
            yield None
            return
        piece = os.read(channel, 65536)
        if not piece:
            return
        buffer += piece
        *lines, buffer = buffer.split(b"\n")
        yield from lines


def _tail(log, length=300) -> str:
    log.seek(0, os.SEEK_END)
    log.seek(max(0, log.tell() - length))
    text = log.read().decode(errors="replace").strip()
    return f" ({text})" if text else ""


def run_isolated(count: int, body: Callable[[int], object], environment: dict[str, str], timeout: float) -> list:
    """
    The outcome of body(i) (anything that JSON holds) for each i, computed in forked children. Where a child crashes or
    stays silent for `timeout` seconds, a sentence is the outcome.
    """
    outcomes: list = []
    restarts = 0
    while len(outcomes) < count:
        if restarts > MAX_RESTARTS:
            outcomes += [f"not run after {restarts} crashes"] * (count - len(outcomes))
            break
        with tempfile.TemporaryFile() as log:
            reader, writer = os.pipe()
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    os.close(reader)
                    _child(body, len(outcomes), count, environment, writer, log.fileno())
                    status = 0
                finally:
                    os._exit(status)
            os.close(writer)
            silent = False
            for line in _read_lines(reader, timeout):
                if line is None:
                    silent = True
                    os.kill(child, signal.SIGKILL)
                    break
                outcomes.append(json.loads(line))
            os.close(reader)
            _, status = os.waitpid(child, 0)
            if len(outcomes) < count:
                restarts += 1
                if silent:
                    outcomes.append(f"hangs: no result after {timeout:g} s{_tail(log)}")
                elif os.WIFSIGNALED(status):
                    name = signal.Signals(os.WTERMSIG(status)).name
                    outcomes.append(f"crashes with {name}{_tail(log)}")
                else:
                    outcomes.append(f"ends the process with status {os.WEXITSTATUS(status)}{_tail(log)}")
    return outcomes


def wait_for_any(children: dict[int, object]) -> tuple[int, int]:
    """(process id, status) of a child that has ended."""
    while True:
        for pid in children:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return pid, status
        time.sleep(0.01)
