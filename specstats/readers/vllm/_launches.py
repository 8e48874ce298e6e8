"""Which launch of vLLM the lines of a log belong to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._results import file_name
from specstats.readers.vllm._arguments import server_settings

if TYPE_CHECKING:
    from specstats.readers.vllm._windows import Window

__all__ = ["BEGINNINGS", "Launch", "launch_after"]

BEGINNINGS = (
    "█  version ".encode(),
    b"vLLM API server version ",
    b"Initializing a V",
    b"Initializing an LLM engine",
)
_BANNER = re.compile(r"█  version (\S{1,60})")
_SERVER = re.compile(r"vLLM API server version (\S{1,60})")
_ENGINE = re.compile(r"Initializing an? (?:V\d )?LLM engine \(v?(\S{1,60})\)")
_OTHER_ENGINE = re.compile(r"\(EngineCore_DP[1-9]")
_DRAFTER = re.compile(
    r"speculative_config=SpeculativeConfig\(method='(\w{1,60})'"
    r"(?:, model=(?:'[^']{0,300}'|None))?, num_spec_tokens=(\d{1,6})\)",
    re.ASCII,
)
_MODEL = re.compile(r"█  model +(\S{1,300})")
_PID = re.compile(r"\(APIServer pid=(\d{1,10})\)", re.ASCII)
# Drafters that propose as many tokens as they find.
_VARIABLE = frozenset({"ngram", "ngram_gpu", "suffix"})


@dataclass(slots=True)
class Launch:
    """A launch of the server.

    Attributes
    ----------
    number : int
        From 0.
    proved : bool
        Whether the log shows that its lines are of one process.
    begun_by : set of str
        Kinds of lines that began it.
    pid : str or None
        Process number of its API server.
    windows : int
        Metrics lines so far.
    settings : dict
        What it said of itself.
    cumulative : Window or None
        Counts of its last cumulative line.
    synthetic : bool
        Whether it said that acceptance is configured.
    """

    number: int = 0
    proved: bool = False
    begun_by: set[str] = field(default_factory=set)
    pid: str | None = None
    windows: int = 0
    settings: dict[str, object] = field(default_factory=dict)
    cumulative: Window | None = None
    synthetic: bool = False

    @property
    def drafts_vary(self) -> bool:
        """Whether its drafter proposes as many tokens as it finds."""
        return self.settings.get("cfg.speculative_config.method") in _VARIABLE

    def next(self) -> Launch:
        """Return the launch after this one."""
        return Launch(self.number + 1)


def launch_after(launch: Launch, text: str) -> Launch:
    """Return the launch of a line, with what the line says of it.

    Parameters
    ----------
    launch : Launch
        Launch of the line before.
    text : str
        The line.

    Returns
    -------
    Launch
        The same, or the next one where the line begins it.
    """
    kind, version = _beginning(text)
    pid = _PID.search(text)
    moved = pid is not None and launch.pid is not None and pid[1] != launch.pid
    if moved or (kind and _begins(launch, kind)):
        launch = launch.next()
    if kind:
        launch.begun_by.add(kind)
        launch.settings["id.build"] = version
    if pid is not None:
        launch.pid = pid[1]
    launch.proved = launch.proved or bool(kind) or pid is not None
    model = _MODEL.search(text)
    if model is not None:
        launch.settings["id.model"] = file_name(model[1])
    drafter = _DRAFTER.search(text)
    if drafter is not None:
        config = "cfg.speculative_config"
        launch.settings.setdefault(f"{config}.method", drafter[1])
        launch.settings.setdefault(f"{config}.num_speculative_tokens", int(drafter[2]))
    if "non-default args:" in text:
        launch.settings.update(server_settings(text))
    return launch


def _beginning(text: str) -> tuple[str, str]:
    patterns = {"banner": _BANNER, "server": _SERVER, "engine": _ENGINE}
    for kind, pattern in patterns.items():
        found = pattern.search(text)
        if found is not None:
            return kind, found[1]
    return "", ""


def _begins(launch: Launch, kind: str) -> bool:
    """Whether such a line begins another launch.

    A launch prints its version once but initialises several engines.
    """
    if kind == "engine":
        return launch.begun_by == {"engine"} or (
            not launch.begun_by and launch.windows > 0
        )
    return kind in launch.begun_by or launch.windows > 0
