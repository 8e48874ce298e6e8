"""What an SGLang server says of itself: arguments, version, which launch it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from specstats.readers._json import text, whole
from specstats.readers._results import file_name, items, mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ARGUMENTS", "LENGTH", "launch_of", "parts_of", "server_settings"]

ARGUMENTS = (
    *("dtype", "kv_cache_dtype", "tp_size", "pp_size", "dp_size", "ep_size"),
    *("attention_backend", "prefill_attention_backend", "decode_attention_backend"),
    *("sampling_backend", "sampling_defaults", "schedule_policy", "stream_interval"),
    *("mem_fraction_static", "chunked_prefill_size", "max_running_requests"),
    *("context_length", "page_size", "num_continuous_decode_steps"),
    *("cuda_graph_max_bs", "disable_cuda_graph", "disable_radix_cache"),
    *("disable_overlap_schedule", "enable_torch_compile", "enable_dp_attention"),
    *("enable_deterministic_inference", "disaggregation_mode"),
    *("speculative_algorithm", "speculative_num_steps", "speculative_eagle_topk"),
    "speculative_num_draft_tokens",
    "speculative_accept_threshold_single",
    "speculative_accept_threshold_acc",
    "speculative_ngram_max_match_window_size",
)
LENGTH = (
    "tokens a verify step, bonus token included, since the server began: warm-up and "
    "earlier loads included"
)
_MOST_PARTS = 64
# A seed that nobody chose is drawn below 2^30; a chosen one is mostly small.
_SMALLEST_DRAWN_SEED = 1 << 16


def parts_of(info: Mapping[str, object]) -> list[tuple[str, Mapping[str, object]]]:
    """Return the servers in a /server_info reply, each with its role.

    Parameters
    ----------
    info : mapping
        The reply; with prefill and decode apart it holds lists of servers.

    Returns
    -------
    list of (str, mapping)
        Role (``prefill``, ``decode`` or empty) and the server.
    """
    apart: list[tuple[str, Mapping[str, object]]] = [
        (role, mapping(server))
        for role in ("prefill", "decode")
        for server in items(info.get(role))[:_MOST_PARTS]
    ]
    return apart or [("", info)]


def launch_of(info: Mapping[str, object]) -> str | None:
    """Return what identifies the launch: the seed that each server draws.

    Parameters
    ----------
    info : mapping
        The /server_info reply.

    Returns
    -------
    str or None
        Seeds of all servers; None where one is missing or so small that somebody
        chose it, since then all launches share it.
    """
    seeds = [whole(server.get("random_seed")) for _, server in parts_of(info)]
    drawn = [str(seed) for seed in seeds if seed and seed >= _SMALLEST_DRAWN_SEED]
    if not seeds or len(drawn) != len(seeds):
        return None
    return "sglang seed " + "+".join(drawn)


def server_settings(info: Mapping[str, object]) -> dict[str, object]:
    """Return settings (``cfg.*``) and identities (``id.*``) of the servers.

    Parameters
    ----------
    info : mapping
        The /server_info reply.

    Returns
    -------
    dict
        Scalars by key; of several servers those of decoding, and what differs in
        prefilling under ``cfg.prefill_*``.
    """
    parts = parts_of(info)
    role, server = parts[-1]
    found = _of_one(server)
    if role != "decode" or not server:
        return found
    for name, value in _of_one(parts[0][1]).items():
        if name.startswith("cfg.") and found.get(name) != value:
            found[name.replace("cfg.", "cfg.prefill_", 1)] = value
    found["cfg.servers"] = len(parts)
    return found


def _of_one(server: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {f"cfg.{key}": server.get(key) for key in ARGUMENTS}
    found["id.engine"] = "sglang"
    found["id.build"] = text(server.get("version"))
    found["id.model"] = file_name(server.get("model_path"))
    found["id.draft_model"] = file_name(server.get("speculative_draft_model_path"))
    found["id.quantisation"] = text(server.get("quantization"))
    return {key: value for key, value in found.items() if value is not None}
