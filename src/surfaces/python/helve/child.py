"""A process that is waited for: fed, read within bounds, interrupted and ended in time."""

from __future__ import annotations

import codecs
import enum
import os
import selectors
import signal
import subprocess
import time
from typing import Any, Callable

__all__ = ["Child", "Ending"]

_GRACE = 10.0  # seconds to finish what is being written, after an interrupt
_TERM_WAIT = 2.0
_DRAIN = 1.0  # for pipes that some other process still holds
_POLL = 0.05
_PIECE = 65536
_STDERR_KEPT = 1024 * 1024
_LINE_MAX = 65536


class Ending(enum.Enum):
    """Why it ended: by itself, or by whom it was ended."""

    DONE = "done"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed out"
    TOO_LONG = "too long"


class Child:
    """Reads a process that was started in a group of its own. REQUIRES: pipes without buffers."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        *,
        output_bytes_max: int,
        on_line: Callable[[str], object] | None = None,
    ) -> None:
        self._process = process
        self._output_bytes_max = output_bytes_max
        self._output = bytearray()
        self._errors = bytearray()
        self._lines = _Lines(on_line)
        self._pending = memoryview(b"")
        self._selector = selectors.DefaultSelector()
        self._ending = Ending.DONE
        self._steps: list[tuple[float, signal.Signals]] = []  # that are still to come, by time

    @property
    def stdout(self) -> str:
        return self._output.decode("utf-8", "replace")

    @property
    def stderr(self) -> str:
        return self._errors.decode("utf-8", "replace")

    @property
    def status(self) -> int:
        status = self._process.returncode
        assert status is not None, "only behind communicate()"
        return status

    def communicate(
        self,
        data: bytes | None,
        timeout: float | None,
        is_cancelled: Callable[[], bool] | None,
    ) -> Ending:
        """Waits for the end of the process. Whatever is raised, the process has ended then."""
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            self._open(data)
            self._work(deadline, is_cancelled)
            self._lines.finish()
        except BaseException:
            self._end_politely()
            raise
        finally:
            self._close()
        return self._ending

    def _open(self, data: bytes | None) -> None:
        process = self._process
        assert process.stdout is not None and process.stderr is not None
        for pipe in (process.stdout, process.stderr):
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ)
        if process.stdin is None:
            return
        self._pending = memoryview(data or b"")
        if self._pending:
            os.set_blocking(process.stdin.fileno(), False)
            self._selector.register(process.stdin, selectors.EVENT_WRITE)
        else:
            process.stdin.close()

    def _work(self, deadline: float | None, is_cancelled: Callable[[], bool] | None) -> None:
        drained_at: float | None = None
        while True:
            self._stop_if_due(deadline, is_cancelled)
            is_over = self._process.poll() is not None
            if is_over and drained_at is None:
                drained_at = time.monotonic() + _DRAIN
            if is_over and (not self._readers() or time.monotonic() >= (drained_at or 0)):
                return
            self._pass_on()

    def _readers(self) -> bool:
        return any(key.events & selectors.EVENT_READ for key in self._selector.get_map().values())

    def _pass_on(self) -> None:
        # Never for long: the process may end while another one holds its pipes.
        if not self._readers() and not self._pending:
            try:
                self._process.wait(_POLL)
            except subprocess.TimeoutExpired:
                pass
            return
        for key, _ in self._selector.select(_POLL):
            if key.fileobj is self._process.stdin:
                self._feed()
            else:
                self._read(key.fileobj)

    def _feed(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        try:
            self._pending = self._pending[os.write(pipe.fileno(), self._pending[:_PIECE]) :]
        except BlockingIOError:
            return
        except OSError:  # it does not want to read more
            self._pending = memoryview(b"")
        if not self._pending:
            self._selector.unregister(pipe)
            pipe.close()

    def _read(self, pipe: Any) -> None:
        try:
            piece = os.read(pipe.fileno(), _PIECE)
        except BlockingIOError:
            return
        if not piece:
            self._selector.unregister(pipe)
        elif pipe is self._process.stderr:
            self._errors += piece
            if len(self._errors) > 2 * _STDERR_KEPT:
                del self._errors[:-_STDERR_KEPT]
            self._lines.add(piece)
        elif len(self._output) + len(piece) > self._output_bytes_max:
            self._output.clear()
            self._output_bytes_max = -1  # nothing more is kept
            self._stop(Ending.TOO_LONG)
        elif self._output_bytes_max >= 0:
            self._output += piece

    def _stop_if_due(self, deadline: float | None, is_cancelled: Callable[[], bool] | None) -> None:
        now = time.monotonic()
        if self._ending is Ending.DONE:
            if is_cancelled is not None and is_cancelled():
                self._stop(Ending.CANCELLED)
            elif deadline is not None and now >= deadline:
                self._stop(Ending.TIMED_OUT)
        while self._steps and now >= self._steps[0][0]:
            self._signal(self._steps.pop(0)[1])

    def _stop(self, ending: Ending) -> None:
        is_too_long = ending is Ending.TOO_LONG and self._ending is not ending
        if not is_too_long and (self._ending is not Ending.DONE or self._process.poll() is not None):
            return
        self._ending = ending
        now = time.monotonic()
        grace = 0.0 if ending is Ending.TOO_LONG else _GRACE
        self._steps = [(now + grace, signal.SIGTERM), (now + grace + _TERM_WAIT, signal.SIGKILL)]
        self._signal(signal.SIGINT)

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is not None:
            return  # its number may be another's by now
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def _end_politely(self) -> None:
        """After Ctrl-C, or an exception of the caller's: a second one ends it at once."""
        try:
            self._lines.silence()
            self._stop(Ending.CANCELLED)
            self._work(None, None)
        except BaseException:
            self._signal(signal.SIGKILL)
            raise
        finally:
            self._process.poll()

    def _close(self) -> None:
        if self._process.poll() is None:
            self._signal(signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        if len(self._errors) > _STDERR_KEPT:
            del self._errors[:-_STDERR_KEPT]


class _Lines:
    """Bytes as lines of text; a line that is too long comes in pieces."""

    def __init__(self, on_line: Callable[[str], object] | None) -> None:
        self._on_line = on_line
        self._decode = codecs.getincrementaldecoder("utf-8")("replace")
        self._begun = ""

    def silence(self) -> None:
        self._on_line = None

    def add(self, piece: bytes) -> None:
        if self._on_line is None:
            return
        *whole, self._begun = (self._begun + self._decode.decode(piece)).split("\n")
        for line in whole:
            self._tell(line)
        if len(self._begun) > _LINE_MAX:
            line, self._begun = self._begun, ""
            self._tell(line)

    def finish(self) -> None:
        if self._begun:
            line, self._begun = self._begun, ""
            self._tell(line)

    def _tell(self, line: str) -> None:
        if self._on_line is not None:
            self._on_line(line.rstrip("\r"))
