"""Small files of one regular response: thousands of them are read at a time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from specstats.readers.llamacpp._counts import _CONVENTION_TOLERANCE, _MILLI
from specstats.readers.llamacpp._regular import (
    FAILURES,
    Response,
    output_digest,
    take_cached,
    whole,
    written_settings,
)

__all__ = ["sole_response", "sole_row"]


@dataclass(slots=True)
class _Last:
    content: bytes = b""
    response: Response | None = None


_last = _Last()


def sole_response(content: bytes) -> Response | None:
    """Return the response that a file is, if it is one regular line and nothing else.

    Parameters
    ----------
    content : bytes
        All bytes of the file.

    Returns
    -------
    struct or None
        The response, with every key known; readers and parser ask one after another,
        so the last answer is kept.
    """
    if _last.content is not content:
        _last.content, _last.response = content, None
        if content.startswith(b"{") and b"\n" not in content[:-1]:
            with suppress(*FAILURES):
                _last.response = whole(content)
    return _last.response


def sole_row(name: str, response: Response) -> dict[str, object] | None:
    """Return the row of a regular response that is a file of its own.

    Parameters
    ----------
    name : str
        Display name of the file.
    response : struct
        The response.

    Returns
    -------
    dict or None
        Values by column; None where the response contradicts itself.
    """
    timings, choice = response.timings, response.choices[0]
    if timings.cache_n < 0:
        take_cached([response])
    seconds = timings.predicted_ms * _MILLI
    rate = timings.predicted_per_second
    convention = None
    if timings.predicted_n and seconds and rate > 0:
        convention = _convention(timings.predicted_n, seconds, rate)
        if convention is None:
            return None
    drafted, accepted = timings.draft_n, timings.draft_n_accepted
    if drafted < 0 or accepted < 0:
        drafted = accepted = -1
    if accepted > drafted:
        return None
    digest = output_digest(choice.message.content, choice.message.reasoning_content)
    return {
        "source": name,
        "entry": 1,
        "request_id": response.id,
        "ended_s": _present(response.created),
        "ok": True,
        "finish_reason": choice.finish_reason,
        "n_cached": _present(timings.cache_n),
        "n_prompt": _present(timings.prompt_n),
        "prompt_s": None if timings.prompt_ms < 0 else timings.prompt_ms * _MILLI,
        "n_output": timings.predicted_n,
        "decode_s": seconds,
        "engine_rate_tps": _present(rate),
        "rate_convention": convention,
        "n_draft": _present(drafted),
        "n_accepted": _present(accepted),
        "output_sha256": None if digest is None else digest.hex(),
        "settings": written_settings(response.model, response.system_fingerprint),
    }


def _present(value: float) -> float | None:
    return None if value < 0 else value


def _convention(n_output: int, seconds: float, rate: float) -> str | None:
    beyond = rate * seconds - n_output
    gap, convention = abs(beyond), "n"
    if abs(beyond + 1) < gap:
        gap, convention = abs(beyond + 1), "n-1"
    return convention if gap <= max(_CONVENTION_TOLERANCE, 1e-3 * n_output) else None
