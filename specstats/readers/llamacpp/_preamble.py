"""What llama.cpp tools print around their results: build, model, devices, crashes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from specstats.readers._results import file_name

if TYPE_CHECKING:
    from specstats.readers._base import Batch, Trouble

__all__ = ["Preamble", "heading_of"]

_MODEL = re.compile(
    r"loaded meta data with \d{1,9} key-value pairs and \d{1,9} tensors from "
    r"([^\n]{1,400}?) \(version",
    re.ASCII,
)
_BUILD = re.compile(
    r"(?:^|\bmain: )build(?:: | = )(\d{1,9}) \(([0-9a-fA-F]{5,40})\)", re.ASCII
)
_DEVICE = re.compile(
    r"^(?:ggml_\w{1,20}: \d{1,3} = (?P<vulkan>[^|\n]{1,200}) "
    r"\((?P<driver>[^()|\n]{1,80})\) \||  Device \d{1,3}: (?P<cuda>[^,\n]{1,200}),"
    r"|ggml_metal\w{0,20}: GPU name: +(?P<metal>[^\n]{1,200})$)",
    re.ASCII,
)
_COUNTED = re.compile(r"^ggml_\w{1,40}: [Ff]ound \d{1,3} \w{1,20} devices", re.ASCII)
_CRASH = re.compile(
    r"GGML_ASSERT\(|\b(?:ROCm|CUDA|HIP|SYCL|MUSA) error\b|terminate called after|"
    r"Segmentation fault|\bcore dumped\b|HSA_STATUS_ERROR|Memory access fault|"
    r"DeviceLost|\bfailed to (?:decode|load model|create context)|"
    r"llama_decode\(\) failed|\bfailed \(exit \d|ggml_print_backtrace"
)
_SHOWN, _MOST_DEVICES = 160, 64
_LONGEST_HEADING = 120
_LEVELS = 6


def heading_of(text: str) -> str | None:
    """Return the title of a Markdown heading; None for any other line.

    Parameters
    ----------
    text : str
        The line.

    Returns
    -------
    str or None
        The title without its marks.
    """
    rest = text.lstrip("#")
    if not 0 < len(text) - len(rest) <= _LEVELS or not rest.startswith(" "):
        return None
    return rest.strip(" #")[:_LONGEST_HEADING] or None


@dataclass(slots=True)
class Preamble:
    """Identities of the launch that the lines so far describe, and its crash.

    Attributes
    ----------
    settings : dict
        Identities by key.
    crash : str
        The first line that says that the program failed; empty for none.
    crash_line : int
        Its number; 0 for none.
    """

    settings: dict[str, object] = field(default_factory=dict)
    crash: str = ""
    crash_line: int = 0
    _devices: list[str] = field(default_factory=list)
    _models: list[str | None] = field(default_factory=list)

    def take(self, line: int, text: str) -> None:
        """Read a line that is no result.

        Parameters
        ----------
        line : int
            Its number.
        text : str
            The line.
        """
        if not self.crash and _CRASH.search(text):
            self.crash, self.crash_line = text.strip()[:_SHOWN], line
        if "build" in text:
            found = _BUILD.search(text)
            if found is not None:
                self.settings["id.build"] = f"b{found[1]}-{found[2]}"
        if "loaded meta data" in text:
            found = _MODEL.search(text)
            if found is not None:
                self._take_model(file_name(found[1]))
        if text.startswith(("ggml_", "  Device ")):
            self._take_device(text)

    def _take_model(self, name: str | None) -> None:
        self._models.append(name)
        if len(self._models) == 1:
            self.settings["id.model"] = name
            self.settings.pop("id.draft_model", None)
        elif name != self._models[0]:
            self.settings["id.draft_model"] = name

    def close_launch(self) -> None:
        """Say that the next model that is loaded belongs to another launch."""
        self._models.clear()

    def _take_device(self, text: str) -> None:
        if _COUNTED.match(text):
            self._devices.clear()
            return
        found = _DEVICE.match(text)
        if found is None or len(self._devices) >= _MOST_DEVICES:
            return
        name = found["vulkan"] or found["cuda"] or found["metal"]
        self._devices.append(name.strip())
        self.settings["id.gpu_info"] = ", ".join(self._devices)
        if found["driver"]:
            self.settings["id.driver"] = found["driver"]

    def note_crash(self, batch: Batch, trouble: Trouble, what: str) -> None:
        """Say that the output holds a crash, if it does.

        Parameters
        ----------
        batch : Batch
            Where the finding goes.
        trouble : Trouble
            Findings of the file.
        what : str
            What that means for the results.
        """
        if self.crash:
            trouble.note(
                batch,
                "SPS014",
                self.crash_line,
                f"the program failed: {what}",
                observed=self.crash,
                remedy="run it again; keep what was measured before the failure apart",
            )
