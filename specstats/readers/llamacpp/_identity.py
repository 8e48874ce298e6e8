"""What a llama.cpp response says of itself: identity, output and settings."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from specstats.readers._json import number, scalar, text, whole

if TYPE_CHECKING:
    from specstats.readers._base import Row
    from specstats.readers.llamacpp._counts import Context

__all__ = ["digest", "finish_reason", "identity", "settings_of"]

_PROMPT_NAME_LIMIT = 80
_SAMPLING = ("temperature", "top_k", "top_p", "min_p")
_SPECULATION = ("speculative.n_max", "speculative.n_min", "speculative.p_min")
_HARNESS_SETTINGS = (
    "engine",
    "depth",
    "drafter",
    "draft_model",
    "n_max",
    "n_min",
    "p_min",
    "cache_prompt",
    "sigma",
)

Entry = dict[str, object]


def identity(context: Context, entry: Entry) -> Row:
    """Return what a response says of its arm, run, prompt and process.

    Parameters
    ----------
    context : Context
        Where the entry stands.
    entry : dict
        The response.

    Returns
    -------
    dict
        Values by column name.
    """
    extras = context.extras
    started = number(extras.get("process_start"))
    pid = whole(extras.get("pid"))
    proved = started is not None and pid is not None
    return {
        "source": context.source.name,
        "entry": context.line,
        "arm": text(extras.get("arm")),
        "run_id": _first_text(extras, "run", "run_index"),
        "block": text(extras.get("block")),
        "workload": _first_text(extras, "workload", "prompt_class"),
        "prompt_id": _prompt(extras),
        "repetition": _first_whole(extras, "repetition", "repeat", "rep"),
        "process": f"{pid}@{started}" if proved else None,
        "process_started_s": started,
        "request_id": text(entry.get("id")),
        "started_s": number(extras.get("request_start")),
        "ended_s": _ended(entry, extras),
    }


def _ended(entry: Entry, extras: Entry) -> float | None:
    """Return the second in which a response was made.

    It is cut to whole seconds, so of requests with a finer start it may lie before it.
    """
    created, started = number(entry.get("created")), number(extras.get("request_start"))
    return None if created is None or created < (started or created) else created


def _first_text(extras: Entry, *names: str) -> str | None:
    found = (text(extras.get(name)) for name in names)
    return next((value for value in found if value is not None), None)


def _first_whole(extras: Entry, *names: str) -> int | None:
    found = (whole(extras.get(name)) for name in names)
    return next((value for value in found if value is not None), None)


def _prompt(extras: Entry) -> str | None:
    name = text(extras.get("prompt_id"))
    prompt = extras.get("prompt")
    if name is not None or not isinstance(prompt, str):
        return name
    if len(prompt) <= _PROMPT_NAME_LIMIT and "\n" not in prompt:
        return text(prompt)
    return "sha256:" + _sha256(prompt)[:12]


def finish_reason(entry: Entry) -> str | None:
    """Return why generation ended, in the words of the chat interface.

    Parameters
    ----------
    entry : dict
        The response.

    Returns
    -------
    str or None
        ``stop``, ``length`` or what the engine wrote.
    """
    choices = entry.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return text(choices[0].get("finish_reason"))
    kind = text(entry.get("stop_type"))
    if kind == "limit" or entry.get("stopped_limit") is True:
        return "length"
    stopped = kind in {"eos", "word"} or entry.get("stopped_eos") is True
    return "stop" if stopped else None


def digest(entry: Entry, extras: Entry) -> str | None:
    """Return the SHA-256 of the output text, or one that stands in its place.

    Parameters
    ----------
    entry : dict
        The response.
    extras : dict
        Keys of the response and of its ``spec`` object.

    Returns
    -------
    str or None
        Hexadecimal digest; None when the response has no text.
    """
    message: object = entry
    choices = entry.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        message = choices[0].get("message", choices[0])
    if isinstance(message, dict):
        ready = message.get("content_sha256")
        if isinstance(ready, str):
            return text(ready)
        parts = [message.get(key) for key in ("content", "reasoning_content", "text")]
        written = [part for part in parts if isinstance(part, str)]
        if written:
            return _sha256("".join(written))
    for key in ("output_sha256", "sha256"):
        if isinstance(extras.get(key), str):
            return text(extras[key])
    return None


def _sha256(content: str) -> str:
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


def settings_of(entry: Entry, extras: Entry) -> Entry:
    """Return settings (``cfg.*``) and identities (``id.*``) of a response.

    Parameters
    ----------
    entry : dict
        The response.
    extras : dict
        Keys of the response and of its ``spec`` object.

    Returns
    -------
    dict
        Scalars by key.
    """
    settings: Entry = {}
    model = text(entry.get("model"))
    if model:
        settings["id.model"] = model.replace("\\", "/").rsplit("/", maxsplit=1)[-1]
    build = text(entry.get("system_fingerprint"))
    if build:
        settings["id.build"] = build
    generation = entry.get("generation_settings")
    if isinstance(generation, dict):
        for key in (*_SAMPLING, *_SPECULATION):
            value = scalar(generation.get(key))
            if value is not None:
                settings[f"cfg.{key}"] = value
    for key in _HARNESS_SETTINGS:
        if key in extras:
            value = scalar(extras[key])
            if value is not None or extras[key] is None:
                settings[f"cfg.{key}"] = value
    return settings
