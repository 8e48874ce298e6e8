"""Launches in a llama-server log: where they begin and what they say of themselves."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field

from specstats.readers._json import BadEntry, decoded, text

__all__ = ["Launch", "Stamp", "error_text", "failure_text", "stamp_of"]

_STAMP = re.compile(rb"(?:\[(\d{1,5})\] )?(?:(\d{1,7})\.(\d\d\.\d{3}\.\d{3}) [A-Z] )?")
_BACK = 0.5  # seconds: lines of several threads may be a little out of order
_LONGEST = 300

_BUILD = re.compile(rb"build_info: (b\d+-[0-9a-f]{6,40})")
_OLD_BUILD = re.compile(
    rb"\bbuild(?:: |=)(\d{1,9}) (?:\(|commit=\")([0-9a-f]{6,40})[)\"]"
)
_MODEL = re.compile(rb"loading (draft )?model '([^'\n]{1,1000})'")
_IMPLEMENTATION = re.compile(rb"adding speculative implementation '([\w.-]{1,40})'")
_LIMIT = re.compile(rb"\b(n_max|n_min|p_min)=(\d{1,9}(?:\.\d{1,9})?)\b")
_SLOTS = re.compile(rb"\b(n_slots|n_ctx_slot) = (\d{1,12})\b")
_NEW_SLOT = re.compile(rb"new slot, n_ctx = (\d{1,12})\b")
_SYNTHETIC = re.compile(rb"synthetic[ _-]accept", re.IGNORECASE)
# Each marks one moment of a start, in this order; one that comes again is a new start.
_MOMENTS = (
    re.compile(rb"build_info: |\bbuild: \d|\bbuild=\d"),
    re.compile(rb"loading model '"),
    re.compile(rb"initializing(?: slots)?, n_slots"),
    re.compile(rb"listening on "),
)
_HARMLESS = re.compile(
    rb"this warning is normal|failed to measure draft model memory|retrying|"
    rb"failed to (?:find|parse|fit|open lora|restore|save)|does not support partial"
)
_FAILURES = re.compile(
    rb"failed to |failed: |error loading model|CUDA error: |not compatible|"
    rb"out of memory|model loading error"
)
_LEAD_IN = re.compile(rb"\A.{0,120}?(?=[A-Za-z_][\w:]*(?:\(\))?: )")


# Port of a router's child and uptime in seconds, as they stand before a line.
Stamp = tuple[bytes | None, float | None]
_NO_STAMP: Stamp = (None, None)


def stamp_of(data: bytes, start: int) -> Stamp:
    """Return the port and the uptime of a line that begins at a place.

    Parameters
    ----------
    data : bytes
        Block of lines.
    start : int
        Where the line begins.

    Returns
    -------
    tuple of bytes and float
        Each None where the line does not have it.
    """
    found = _STAMP.match(data, start)
    if found is None or not found[0]:
        return _NO_STAMP
    port, minutes, seconds = found.groups()
    if minutes is None:
        return port, None
    whole, milli, micro = seconds.split(b".")
    return port, 60 * int(minutes) + int(whole) + int(milli + micro) * 1e-6


@dataclass(slots=True)
class Launch:
    """One process that writes into the log.

    Attributes
    ----------
    number : int
        Number in the file, from 1.
    proved : bool
        Whether the log shows that it is one process.
    from_start : bool
        Whether the log shows its start.
    uptime : float
        Largest uptime seen, in seconds.
    settings : dict
        Settings and identities.
    counted : dict
        Last reading of the statistics, by implementation.
    convention : str or None
        Convention of its decode rates, once a line told it.
    checkpoints : bool
        Whether it restores checkpoints where drafts are rejected.
    drafted, served, refused, undecoded : int
        Requests with drafts, answered, refused, and batches that were not decoded.
    """

    number: int
    proved: bool = False
    from_start: bool = False
    uptime: float = -1.0
    settings: dict[str, object] = field(default_factory=dict)
    counted: dict[str, tuple[int, ...]] = field(default_factory=dict)
    convention: str | None = None
    checkpoints: bool = False
    synthetic: bool = False
    drafted: int = 0
    served: int = 0
    refused: int = 0
    undecoded: int = 0
    first_undecoded: int = 0
    _moment: int = -1
    _texts: dict[str | None, str | None] = field(default_factory=dict)

    def begins_anew(self, line: bytes, stamp: Stamp) -> bool:
        """Whether a line cannot come from this launch any more.

        Parameters
        ----------
        line : bytes
            The line; empty where it is no line of a start.
        stamp : Stamp
            Its stamp.

        Returns
        -------
        bool
            True where the uptime goes back, or a moment of the start comes again.
        """
        uptime = stamp[1]
        if uptime is not None and uptime < self.uptime - _BACK:
            return True
        if not line or (uptime is not None and uptime >= self.uptime):
            return False
        return 0 <= _moment(line) <= self._moment

    def take(self, line: bytes, stamp: Stamp) -> None:
        """Keep what a line tells of the start and the settings.

        Parameters
        ----------
        line : bytes
            The line; empty where it is no line of a start.
        stamp : Stamp
            Its stamp.
        """
        if stamp[1] is not None:
            self.proved = True
            self.uptime = max(self.uptime, stamp[1])
        if not line:
            return
        moment = _moment(line)
        if moment >= 0:
            self.proved = self.from_start = True
            self._moment = max(self._moment, moment)
        self._take_settings(line)

    def _take_settings(self, line: bytes) -> None:
        told = self.settings
        self._texts.clear()
        build = _BUILD.search(line)
        old = _OLD_BUILD.search(line)
        if build:
            told["id.build"] = _shown(build[1])
        elif old:
            told["id.build"] = f"b{_shown(old[1])}-{_shown(old[2])}"
        model = _MODEL.search(line)
        if model:
            name = _shown(model[2]).replace("\\", "/").rsplit("/", maxsplit=1)[-1]
            told["id.draft_model" if model[1] else "id.model"] = name
        if b"peculative" in line or b" MTP draft context" in line:
            self._take_speculation(line)
        for key, value in _LIMIT.findall(line):
            told[f"cfg.{_shown(key)}"] = float(value) if b"." in value else int(value)
        for key, value in _SLOTS.findall(line):
            told[f"cfg.{_shown(key)}"] = int(value)
        slot = _NEW_SLOT.search(line)
        if slot:
            told["cfg.n_ctx_slot"] = int(slot[1])
        if _SYNTHETIC.search(line):
            self.synthetic = True
            told["cfg.synthetic_acceptance"] = True

    def _take_speculation(self, line: bytes) -> None:
        if b"will use checkpoints" in line:
            self.checkpoints = True
        if b"no implementations specified" in line:
            self.settings["cfg.speculative"] = "none"
        found = _IMPLEMENTATION.search(line)
        if found or b"creating MTP draft context" in line:
            known = str(self.settings.get("cfg.speculative", "none")).split(",")
            name = _shown(found[1]) if found else "draft-mtp"
            names = {other for other in known if other != "none"} | {name}
            self.settings["cfg.speculative"] = ",".join(sorted(names))

    def settings_text(self, statistics: str | None = None) -> str | None:
        """Return the settings as JSON text, with the implementation that counted."""
        if statistics not in self._texts:
            told = dict(self.settings)
            if statistics is not None:
                told["cfg.statistics"] = statistics
            text = json.dumps(told, sort_keys=True) if told else None
            self._texts[statistics] = text
        return self._texts[statistics]


def _moment(line: bytes) -> int:
    for moment, pattern in enumerate(_MOMENTS):
        if pattern.search(line):
            return moment
    return -1


def _shown(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def failure_text(line: bytes) -> str | None:
    """Return what a line says of a failure; None if it says nothing that counts.

    Parameters
    ----------
    line : bytes
        A line of the log.

    Returns
    -------
    str or None
        The message without its stamp.
    """
    if len(line) > _LONGEST or not _FAILURES.search(line) or _HARMLESS.search(line):
        return None
    lead = _LEAD_IN.match(line)
    return _shown(line[lead.end() if lead else 0 :]).strip()


def error_text(message: bytes) -> str:
    """Return what a server says of a request that it refuses.

    Parameters
    ----------
    message : bytes
        The message: a JSON error body or plain text.

    Returns
    -------
    str
        Code and message.
    """
    body = decoded(message.strip()) if message.lstrip()[:1] == b"{" else None
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(body, BadEntry) or not isinstance(error, dict):
        return _shown(message.strip()[:_LONGEST]) or "error"
    parts = (text(error.get("code")), text(error.get("message")))
    return " ".join(part for part in parts if part) or "error"
