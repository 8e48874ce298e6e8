"""Work spread over forked processes, its results in order."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import NoReturn

__all__ = ["in_order", "processes"]

_LENGTH = 8
_PIPE = 1 << 20


def processes() -> int:
    """Return how many processes may share the work; 1 where forking is no good.

    Only the thread that forks lives on in the copy, and whatever locks the others held
    stay locked there, so a process with more threads than one does all by itself.

    Returns
    -------
    int
        Processors that this process may use, or 1.
    """
    if sys.platform != "linux":
        return 1
    with suppress(OSError):
        if len(list(Path("/proc/self/task").iterdir())) == 1:
            return len(os.sched_getaffinity(0))
    return 1


def in_order(
    work: Callable[[int], bytes], tasks: int, *, workers: int
) -> Generator[bytes]:
    """Yield ``work(0)``, ``work(1)``, ... as computed by forked processes.

    What a process leaves undone, because it failed or was killed, is done here; so
    errors are raised as without processes. They end with the iterator.

    Parameters
    ----------
    work : callable
        From the number of a task to its result.
    tasks : int
        How many there are.
    workers : int
        Processes; with 1 nothing is forked.

    Yields
    ------
    bytes
        Results in the order of the tasks.
    """
    if workers <= 1 or tasks <= 1:
        yield from map(work, range(tasks))
        return
    started: list[tuple[int, BinaryIO]] = []
    try:
        with suppress(OSError):
            for first in range(workers):
                mine = range(first, tasks, workers)
                started.append(_started(work, mine, [pipe for _, pipe in started]))
        for task in range(tasks):
            turn = task % workers
            result = _received(started[turn][1]) if turn < len(started) else None
            yield work(task) if result is None else result
    finally:
        for process, pipe in started:
            pipe.close()
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def _started(
    work: Callable[[int], bytes], tasks: Sequence[int], others: list[BinaryIO]
) -> tuple[int, BinaryIO]:
    ours, theirs = os.pipe()
    _widen(theirs)
    try:
        process = os.fork()
    except OSError:
        os.close(ours)
        os.close(theirs)
        raise
    if process == 0:
        _serve(work, tasks, theirs, [ours, *(pipe.fileno() for pipe in others)])
    os.close(theirs)
    return process, os.fdopen(ours, "rb", _PIPE)


def _widen(pipe: int) -> None:
    import fcntl

    with suppress(OSError, AttributeError):
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, _PIPE)


def _serve(
    work: Callable[[int], bytes], tasks: Sequence[int], pipe: int, unused: list[int]
) -> NoReturn:
    """Do the tasks in a forked process; it ends here, whatever happens."""
    gc.disable()  # nothing here is a cycle, and the process is short
    try:
        # The parent answers an interrupt, and kills; its pipe breaks when it dies.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for other in unused:
            os.close(other)
        with os.fdopen(pipe, "wb", 0) as stream:
            for task in tasks:
                result = work(task)
                _send(stream, len(result).to_bytes(_LENGTH, "little"))
                _send(stream, result)
    finally:
        os._exit(0)


def _send(stream: BinaryIO, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[stream.write(left) :]


def _received(pipe: BinaryIO) -> bytes | None:
    length = pipe.read(_LENGTH)
    if len(length) < _LENGTH:
        return None
    expected = int.from_bytes(length, "little")
    content = pipe.read(expected)
    return content if len(content) == expected else None
