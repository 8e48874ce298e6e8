"""Settings in the arguments that vLLM's server and benchmark print."""

from __future__ import annotations

import ast
import re
import warnings
from typing import TYPE_CHECKING

from specstats.readers._results import file_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["SYNTHETIC", "is_synthetic", "namespace_settings", "server_settings"]

SYNTHETIC = "cfg.synthetic_acceptance"
_ARGUMENTS = "non-default args:"
_LONGEST = 50_000
_LONGEST_VALUE = 2_000
_SYNTHETIC = re.compile(
    r"rejection_sample_method[\"']?\s{0,3}[:=]\s{0,3}[\"']?synthetic"
    r"|synthetic_acceptance_\w{1,20}[\"']?\s{0,3}[:=]\s{0,3}[\"']?[\[(\d.]"
)
_PRIVATE = frozenset({"host", "port", "api_key", "uds", "root_path", "hf_token"})
_MODELS = frozenset({"model", "model_tag", "tokenizer", "served_model_name"})
_PAIR = re.compile(
    r"\b(\w{1,60})=('[^']{0,300}'|-?[\d.]{1,30}(?:e-?\d{1,3})?|inf|None|True|False)"
    r"(?=[,)])",
    re.ASCII,
)
_ITEM = re.compile(r"\s*'(\w{1,80})'\s*:\s*(.*)", re.ASCII | re.DOTALL)
_BENCHMARK = frozenset(
    {
        *("backend", "dataset_name", "num_prompts", "request_rate", "burstiness"),
        *("max_concurrency", "seed", "temperature", "top_p", "top_k", "ignore_eos"),
        *("random_input_len", "random_output_len", "custom_output_len"),
        *("spec_bench_output_len", "hf_output_len", "sharegpt_output_len"),
    }
)
_WORDS: dict[str, object] = {"None": None, "True": True, "False": False}
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


def is_synthetic(text: str) -> bool:
    """Whether arguments make the server accept drafts at a configured rate."""
    return _SYNTHETIC.search(text) is not None


def server_settings(text: str) -> dict[str, object]:
    """Return settings from a line with ``non-default args: {...}``.

    Some of the values may be objects that only Python can read: they are left out.
    """
    written = text.partition(_ARGUMENTS)[2].strip()[:_LONGEST]
    settings: dict[str, object] = {}
    if written.startswith("{"):
        values = {
            found[1]: _literal(found[2])
            for item in _top_level(written[1:])
            if (found := _ITEM.fullmatch(item)) is not None
        }
        _flatten(values, "", settings)
    return settings


def _top_level(written: str) -> Iterator[str]:
    """Yield what stands between the commas of a literal, nested ones left alone."""
    depth, start, quote, skip = 0, 0, "", False
    for place, sign in enumerate(written):
        if skip:
            skip = False
        elif quote:
            skip = sign == "\\"
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        elif sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        if depth < 0 or (not depth and not quote and sign == ","):
            yield written[start:place]
            start = place + 1
        if depth < 0:
            return


def _literal(written: str) -> object:
    if len(written) > _LONGEST_VALUE:
        return None
    try:
        with warnings.catch_warnings():  # such as of 1or 2
            warnings.simplefilter("ignore")
            value: object = ast.literal_eval(written.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value


def _flatten(
    values: Mapping[str, object], inside: str, settings: dict[str, object]
) -> None:
    for key, value in values.items():
        if key in _PRIVATE or key.startswith("ssl") or not str(key).isidentifier():
            continue
        if isinstance(value, dict) and not inside:
            nested = {str(name): found for name, found in value.items()}
            _flatten(nested, f"{key}.", settings)
        elif key in _MODELS:
            role = "model" if key == "model_tag" else key
            settings[f"id.{inside}{role}"] = file_name(value)
        elif isinstance(value, str) and ("/" in value or "\\" in value):
            continue  # a folder, or a template
        elif isinstance(value, bool | int | float | str):
            settings[f"cfg.{inside}{key}"] = value


def namespace_settings(text: str) -> dict[str, object]:
    """Return settings of the load from a line with ``Namespace(...)``."""
    settings: dict[str, object] = {}
    for name, written in _PAIR.findall(text[:_LONGEST]):
        if name == "model":
            settings["id.model"] = file_name(written.strip("'"))
        elif name in _BENCHMARK:
            value = _value(written)
            if value is not None:
                settings[f"cfg.{name}"] = value
    return settings


def _value(written: str) -> object:
    if written.startswith("'"):
        return written.strip("'")
    if written in _WORDS:
        return _WORDS[written]
    if written == "inf":
        return written
    try:
        return int(written) if written.lstrip("-").isdecimal() else float(written)
    except ValueError:
        return None
