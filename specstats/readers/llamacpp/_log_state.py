"""What a llama-server log has told so far, as rows and findings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from specstats.readers.llamacpp._log_launch import (
    Launch,
    error_text,
    failure_text,
    stamp_of,
)
from specstats.readers.llamacpp._log_request import Pending, draft_line, timing_line
from specstats.readers.llamacpp._log_rows import Output
from specstats.readers.llamacpp._log_statistics import reading_of

if TYPE_CHECKING:
    from specstats.readers._base import Batch
    from specstats.readers.llamacpp._log_launch import Stamp
    from specstats.readers.llamacpp._log_scan import Hit
    from specstats.source import Source

__all__ = ["Log"]

_MOST_OPEN = 4096  # tasks whose steps or prompts wait for their timing lines
_MOST_SLOTS = 1024

_IDS = re.compile(rb"id +(\d{1,9}) \| task +(\d{1,15}) \|")
_OLD_IDS = re.compile(rb"id_slot\"?[=:] ?(\d{1,9})\b.{0,20}?id_task\"?[=:] ?(\d{1,15})")
_HEADER = re.compile(
    rb"print_timing: id +(\d{1,9}) \| task +(\d{1,15}) \| *\r?\n[^\n]*\Z"
)
_CLOCK = re.compile(rb"timestamp\"?[=:] ?(\d{9,11})\b")
_ACCEPTED = re.compile(rb"accepted +(\d{1,9})/ *(\d{1,9}) draft tokens")
_PROMPT = re.compile(rb"task\.n_tokens = (\d{1,15})")
_POSITIONS = re.compile(rb"acc per pos = \(([^)\n]{0,2000})\)")
_STATUS = re.compile(
    rb"done request: POST +\S*?(?:completions?|infill|responses|messages|chat)/? "
    rb"+\S+ +(\d{3})\b"
)
_TASK = re.compile(rb"send_error: task id = (\d{1,15}), error: (.*)", re.DOTALL)
_EXCEPTION = re.compile(rb"got exception: (.*)", re.DOTALL)
_BAD = 400
_LOOK_BACK = 300

Key = tuple[bytes | None, bytes | None]


class Log:
    """A log that is being read."""

    def __init__(self, source: Source) -> None:
        self.out = Output(source)
        self.launches: dict[bytes | None, Launch] = {}
        self.count = 0
        self.pending: dict[Key, Pending] = {}
        self.bare: Key = (None, None)
        self.steps: dict[tuple[bytes | None, bytes], Pending] = {}
        self.prompts: dict[tuple[bytes | None, bytes], int] = {}
        self.errors: list[tuple[int, str | None, str]] = []
        self.takers = {
            "timing": self._timing,
            "draft": self._draft,
            "positions": self._positions,
            "statistics": self._statistics,
            "prompt": self._prompt,
            "accepted": self._accepted,
            "setting": self._setting,
            "failure": self._failure,
            "error": self._error,
            "http": self._http,
        }

    def take(self, hit: Hit) -> None:
        """Take a line that tells something."""
        self.takers[hit.kind](hit)

    def hand_over(self) -> Batch:
        """Return the rows so far and begin anew."""
        return self.out.hand_over()

    def close(self) -> Batch:
        """Finish what is open and return the last batch."""
        for port in list(self.launches):
            self._end(port)
        self.out.trouble.close(self.out.batch)
        return self.out.hand_over()

    # Launches

    def _launch(self, hit: Hit, line: bytes = b"") -> tuple[Launch, Stamp]:
        stamp = stamp_of(hit.data, hit.start)
        launch = self.launches.get(stamp[0])
        if launch is None or launch.begins_anew(line, stamp):
            if launch is not None:
                self._end(stamp[0])
            launch = self._new(stamp[0], proved=launch is not None)
        launch.take(line, stamp)
        return launch, stamp

    def _new(self, port: bytes | None, *, proved: bool) -> Launch:
        self.count += 1
        launch = Launch(self.count, proved=proved, from_start=proved)
        self.launches[port] = launch
        return launch

    def _end(self, port: bytes | None) -> None:
        keys = [key for key in self.pending if key[0] == port]
        for key in sorted(keys, key=lambda key: self.pending[key].line):
            self._flush(key)
        for waiting in (self.steps, self.prompts):
            for key in [key for key in waiting if key[0] == port]:
                waiting.pop(key)
        launch = self.launches.pop(port)
        for line, task, message in self.errors:
            self.out.add_failed(launch, line, task, message)
        self.errors.clear()
        if launch.undecoded and not launch.refused:
            self.out.note(
                "SPS007",
                launch.first_undecoded,
                "the server started, but could not decode: requests to it failed",
                observed=f"{launch.undecoded} lines of failed decoding, "
                f"{launch.served} answered requests",
                required="a server that answers, not one that is only up",
                remedy="leave this launch out, or mend its configuration",
            )

    # Requests

    def _timing(self, hit: Hit) -> None:
        if hit.timings is not None:
            self._together(hit, hit.timings)
            return
        told = timing_line(hit.data, hit.place)
        if told is None:
            return
        kind, sample = told
        _, stamp = self._launch(hit)
        key, task = self._key(hit, stamp, kind)
        pending = self.pending.get(key)
        begins = kind == "prompt" or pending is None
        if kind == "eval" and pending is not None:
            begins = pending.n_output is not None
        if begins or pending is None:
            if kind == "total":
                return
            pending = self._open(hit.line, key, task)
        pending.take_timing(kind, sample)
        clock = _CLOCK.search(hit.data, hit.place, hit.end)
        if clock:
            pending.ended_s = float(clock[1])

    def _together(self, hit: Hit, found: re.Match[bytes]) -> None:
        _, stamp = self._launch(hit)
        ids = _IDS.match(found["ids"]) if found["ids"] else None
        if ids is None:
            key, task = self._key(hit, stamp, "prompt")
        else:
            key, task = (stamp[0], ids[1]), ids[2]
        pending = self._open(hit.line, key, task)
        _, prompt, n_prompt, decode, n_output, per_token, rate, total, n, _ = (
            found.groups()
        )
        pending.prompt_ms, pending.n_prompt = float(prompt), int(n_prompt)
        pending.decode_ms, pending.n_output = float(decode), int(n_output)
        pending.per_token, pending.rate = float(per_token), float(rate)
        pending.total_ms, pending.total_n = float(total), int(n)
        if found["draft"]:
            drafts = draft_line(hit.data, hit.data.index(b"=", found.start("draft")))
            if drafts is not None:
                pending.take_draft(drafts)

    def _key(self, hit: Hit, stamp: Stamp, kind: str) -> tuple[Key, bytes | None]:
        """Return slot and task of a line; a bare one follows the header before it."""
        ids = _IDS.search(hit.data, hit.start, hit.place)
        if ids is None:
            ids = _OLD_IDS.search(hit.data, hit.place, hit.end)
        if ids is not None:
            return (stamp[0], ids[1]), ids[2]
        if kind != "prompt":
            known = self.bare[0] in self.launches
            return (self.bare if known else (stamp[0], None)), None
        before = hit.data[max(0, hit.start - _LOOK_BACK) : hit.start]
        header = _HEADER.search(before)
        self.bare = (stamp[0], None if header is None else header[1])
        return self.bare, None if header is None else header[2]

    def _open(self, line: int, key: Key, task: bytes | None) -> Pending:
        if key in self.pending:
            self._flush(key)
        elif len(self.pending) >= _MOST_SLOTS:
            self._flush(min(self.pending, key=lambda key: self.pending[key].line))
        self.out.batch.entries += 1
        pending = None if task is None else self.steps.pop((key[0], task), None)
        if pending is None:
            pending = Pending(line)
        pending.line = line
        if task is not None:
            pending.task = task.decode()
            whole = self.prompts.pop((key[0], task), None)
            pending.n_cached = whole
        self.pending[key] = pending
        return pending

    def _draft(self, hit: Hit) -> None:
        found = draft_line(hit.data, hit.place)
        if found is None:
            return
        _, stamp = self._launch(hit)
        key, task = self._key(hit, stamp, "draft")
        pending = self.pending.get(key)
        if pending is None or pending.n_draft is not None:
            pending = self._open(hit.line, key, task)
        pending.take_draft(found)

    def _positions(self, hit: Hit) -> None:
        ids = _IDS.search(hit.data, hit.start, hit.place)
        found = _POSITIONS.search(hit.data, hit.start, hit.end)
        key = self.bare if ids is None else (stamp_of(hit.data, hit.start)[0], ids[1])
        if found is not None and key in self.pending:
            self.pending[key].take_positions(found[1])

    def _prompt(self, hit: Hit) -> None:
        ids = _IDS.search(hit.data, hit.start, hit.place)
        found = _PROMPT.search(hit.data, hit.start, hit.end)
        if ids is not None and found is not None and len(self.prompts) < _MOST_OPEN:
            _, stamp = self._launch(hit)
            self.prompts[stamp[0], ids[2]] = int(found[1])

    def _accepted(self, hit: Hit) -> None:
        ids = _IDS.search(hit.data, hit.start, hit.place)
        found = _ACCEPTED.search(hit.data, hit.start, hit.end)
        if ids is None or found is None:
            return
        _, stamp = self._launch(hit)
        key = (stamp[0], ids[2])
        if key not in self.steps and len(self.steps) >= _MOST_OPEN:
            return
        self.steps.setdefault(key, Pending(hit.line)).add_step(
            int(found[2]), int(found[1])
        )

    def _flush(self, key: Key) -> None:
        pending = self.pending.pop(key)
        self.out.add_request(pending, self.launches[key[0]])

    # Counters

    def _statistics(self, hit: Hit) -> None:
        reading = reading_of(hit.text)
        if reading is None:
            return
        self.out.batch.entries += 1
        launch, stamp = self._launch(hit)
        before = launch.counted.get(reading.name)
        if before is not None and reading.went_back(before):
            self._end(stamp[0])
            launch = self._new(stamp[0], proved=True)
            launch.take(b"", stamp)
            before = None
        problem = reading.problem()
        if problem is not None:
            self.out.skip(hit.line, problem)
            return
        launch.counted[reading.name] = reading.counts
        self.out.batch.parsed += 1
        self.out.add_counters(hit.line, reading, before, launch)

    # Settings and failures

    def _setting(self, hit: Hit) -> None:
        self._launch(hit, hit.text)

    def _failure(self, hit: Hit) -> None:
        line = hit.text
        told = failure_text(line)
        if told is None:
            return
        launch, _ = self._launch(hit)
        self.out.note(
            "SPS014",
            hit.line,
            "the server says that something failed",
            observed=told[:200],
            remedy="results of this launch may not be what its settings say",
        )
        if "decode: " in told:
            launch.undecoded += 1
            launch.first_undecoded = launch.first_undecoded or hit.line

    def _error(self, hit: Hit) -> None:
        line = hit.text
        sent, raised = _TASK.search(line), _EXCEPTION.search(line)
        if len(self.errors) >= _MOST_OPEN:
            self.errors.pop(0)
        if sent is not None:
            message = error_text(sent[2])
            self.errors.append((hit.line, sent[1].decode(), message))
        elif raised is not None:
            self.errors.append((hit.line, None, error_text(raised[1])))

    def _http(self, hit: Hit) -> None:
        status = _STATUS.search(hit.data, hit.start, hit.end)
        if status is None or int(status[1]) < _BAD:
            return
        launch, _ = self._launch(hit)
        line, task, message = hit.line, None, f"HTTP status {int(status[1])}"
        if self.errors:
            line, task, message = self.errors.pop(0)
        self.out.add_failed(launch, line, task, message)
