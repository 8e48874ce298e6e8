"""Result JSON of dflash-mlx: pairs of plain and speculative decoding."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from specstats.readers._base import Match, Reader, Row
from specstats.readers._json import first_entry, number, text, whole
from specstats.readers._results import items, mapping, settings_text
from specstats.readers.local._sink import MILLI, Sink, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from specstats.readers._base import Batch
    from specstats.source import Source

__all__ = ["READER"]

_ARMS = ("baseline", "dflash")
_WHOLE = 1e-4
_CLOSE = 1e-6
_MOST_TOKENS = 1e12
_RATIO = (
    "accepted draft tokens over generated tokens, not over drafted ones; no bonus token"
)
_LENGTH = "tokens of a cycle, bonus token included"

Entry = dict[str, object]


def _sniff(head: bytes, name: str) -> Match:
    del name
    entry = first_entry(head)
    if not isinstance(entry, dict):
        return Match(0, "no JSON object")
    config, runs = mapping(entry.get("config")), items(entry.get("runs"))
    known = {"draft_model", "block_tokens"} <= set(config) and (
        not runs or "dflash" in mapping(runs[0])
    )
    return Match(90 if known else 0, "no config.block_tokens and runs with dflash")


def _parse(source: Source) -> Iterator[Batch]:
    sink = Sink(source)
    found = sink.document()
    shared = {arm: _shared(sink, found, arm) for arm in _ARMS}
    rates: dict[str, list[float]] = {arm: [] for arm in _ARMS}
    told: dict[str, list[float]] = {"speedup": [], "acceptance_ratio": []}
    for number_, value in enumerate(items(found.get("runs")), start=1):
        entry = mapping(value)
        sink.batch.entries += 1
        both = [_add(sink, number_, entry, shared[arm]) for arm in _ARMS]
        if not any(rate is not None for rate in both):
            sink.skip(number_, "neither a baseline nor a dflash rate")
            continue
        # Several rows of one entry: it counts once.
        sink.batch.parsed -= sum(rate is not None for rate in both) - 1
        for arm, rate in zip(_ARMS, both, strict=True):
            if rate is not None:
                rates[arm].append(rate)
        _take_pair(sink, number_, entry, both, told)
        if sink.is_full:
            yield sink.take()
    complete = len(items(found.get("runs")))
    _add_summary(sink, (mapping(found.get("summary")), complete), rates, told, shared)
    if told["acceptance_ratio"]:
        sink.note(
            "SPS308",
            1,
            "acceptance_ratio is accepted over generated tokens, and drafted tokens "
            "are not counted: it is no acceptance rate",
            remedy="compare tokens_per_cycle, or count the drafted tokens",
        )
    yield sink.close()


def _shared(sink: Sink, found: Entry, arm: str) -> Row:
    config, hardware = mapping(found.get("config")), mapping(found.get("hardware"))
    drafting = {
        "cfg.draft_model": config.get("draft_model"),
        "cfg.block_tokens": config.get("block_tokens"),
    }
    return {
        "arm": arm,
        "prompt_id": text(config.get("prompt_id")),
        "n_prompt": whole(config.get("prompt_tokens")),
        "process": f"{sink.source.sha256[:12]}#1",
        "settings": settings_text(
            {
                "id.engine": "dflash-mlx",
                "id.build": config.get("git_hash"),
                "id.model": config.get("target_model"),
                "id.device": hardware.get("chip"),
                "id.mlx_version": hardware.get("mlx_version"),
                **(drafting if arm == "dflash" else {}),
                "cfg.max_new_tokens": config.get("max_new_tokens"),
                "cfg.cooldown": config.get("cooldown"),
            }
        ),
    }


def _add(sink: Sink, line: int, entry: Entry, shared: Row) -> float | None:
    """Add the request of an arm; give its rate, or None where there is none."""
    told = mapping(entry.get(str(shared["arm"])))
    rate = positive(told.get("generation_tps"))
    if rate is None:
        return None
    run = whole(entry.get("run"))
    row: Row = {
        **shared,
        "repetition": run - 1 if run else None,
        "ttft_s": positive(told.get("ttft_ms"), MILLI),
        "engine_rate_tps": rate,
    }
    cycles, length = whole(told.get("cycles")), positive(told.get("tokens_per_cycle"))
    ratio = number(told.get("acceptance_ratio"))
    if cycles and length is not None:
        row["n_steps"] = cycles
        row["n_output"] = _counted(length * cycles)
        row["n_accepted"] = _accepted(sink, line, row, ratio)
    sink.request(line, row)
    about: Row = {**shared, "scope": "request"}
    key = ("mean_accepted_length", "tokens", "mean")
    sink.aggregate(line, about, key, length, n=cycles, definition=_LENGTH)
    key = ("acceptance_ratio", "1", "ratio")
    sink.aggregate(line, about, key, ratio, definition=_RATIO)
    return rate


def _counted(product: float) -> int | None:
    """Return a product of a mean and its number as the count that it came from."""
    if not 0 < product < _MOST_TOKENS or abs(product - round(product)) > _WHOLE:
        return None
    return round(product)


def _accepted(sink: Sink, line: int, row: Row, ratio: float | None) -> int | None:
    output, cycles = row["n_output"], row["n_steps"]
    if ratio is None or not isinstance(output, int) or not isinstance(cycles, int):
        return None
    accepted = _counted(ratio * output)
    if accepted is not None and accepted > output:
        sink.note(
            "SPS006",
            line,
            "more draft tokens accepted than tokens generated",
            observed=f"{accepted} accepted",
            required=f"{output} generated",
        )
        return None
    # The last cycle may be cut off, so that its bonus token is not generated.
    if accepted is not None and not cycles - 1 <= output - accepted <= cycles:
        sink.note(
            "SPS006",
            line,
            "accepted tokens and one bonus token a cycle are not the generated tokens",
            observed=f"{accepted} + {cycles}",
            required=f"{output}",
        )
    return accepted


def _take_pair(
    sink: Sink,
    line: int,
    entry: Entry,
    both: list[float | None],
    told: dict[str, list[float]],
) -> None:
    speedup = positive(entry.get("speedup"))
    ratio = number(mapping(entry.get("dflash")).get("acceptance_ratio"))
    if ratio is not None:
        told["acceptance_ratio"].append(ratio)
    plain, drafted = both
    if speedup is None:
        return
    told["speedup"].append(speedup)
    if plain is not None and drafted is not None:
        right = drafted / plain
        message = "speedup is not the ratio of the two rates"
        sink.compare(line, message, (speedup, right), 1e-3 * right)


def _statistic(name: str, values: list[float]) -> float:
    if name == "median":
        return float(median(values))
    return min(values) if name == "min" else max(values)


def _add_summary(
    sink: Sink,
    printed: tuple[Entry, int],
    rates: dict[str, list[float]],
    told: dict[str, list[float]],
    shared: dict[str, Row],
) -> None:
    rows = (
        ("baseline_tps_median", "baseline", ("decode_rate", "tok/s", "median")),
        ("dflash_tps_median", "dflash", ("decode_rate", "tok/s", "median")),
        ("dflash_tps_min", "dflash", ("decode_rate", "tok/s", "min")),
        ("dflash_tps_max", "dflash", ("decode_rate", "tok/s", "max")),
        ("speedup_median", "speedup", ("speedup", "1", "median")),
        (
            "acceptance_ratio_median",
            "acceptance_ratio",
            ("acceptance_ratio", "1", "median"),
        ),
    )
    summary, complete = printed
    for name, values_of, key in rows:
        value = number(summary.get(name))
        values = rates.get(values_of, told.get(values_of, []))
        about: Row = {
            **shared["baseline" if values_of == "baseline" else "dflash"],
            "scope": "runs",
            "n": len(values) or None,
            "definition": _RATIO if values_of == "acceptance_ratio" else None,
        }
        sink.aggregate(1, about, key, value)
        if value is not None and values and len(values) == complete:
            right = _statistic(key[2], values)
            message = f"{name} is not that of the runs"
            sink.compare(1, message, (value, right), _CLOSE * max(abs(right), 1.0))


READER = Reader(
    name="dflash-mlx",
    label="dflash-mlx benchmark result (JSON, plain and speculative decoding)",
    producers=("git 4bfb082",),
    levels=("request", "aggregate"),
    boundary="proved: one file is one process, in which both arms run",
    traps=(
        (
            "acceptance_ratio is accepted over generated tokens, not over drafted "
            "ones, which are not counted"
        ),
        "tokens_per_cycle includes the bonus token",
        "the baseline always comes first: order and heat are confounded with the arm",
        "greedy repeats accept the same tokens: they tell of time only",
        "repeats share one process",
    ),
    fields=(
        ("runs.baseline, runs.dflash", "requests.arm: baseline, dflash"),
        ("runs.run", "requests.repetition: from 0"),
        ("generation_tps", "requests.engine_rate_tps: tok/s, convention unknown"),
        ("ttft_ms", "requests.ttft_s: ms to s"),
        ("cycles", "requests.n_steps: verified steps"),
        (
            "tokens_per_cycle x cycles",
            "requests.n_output: tokens, where the product is whole",
        ),
        (
            "acceptance_ratio x n_output",
            (
                "requests.n_accepted: tokens, where the product is whole; checked with "
                "one bonus token a cycle"
            ),
        ),
        ("tokens_per_cycle", "aggregates.value: metric mean_accepted_length"),
        ("acceptance_ratio", "aggregates.value: as printed, metric of its own"),
        ("summary", "aggregates.value: checked against the runs"),
        ("config.prompt_id", "requests.prompt_id"),
        ("config.prompt_tokens", "requests.n_prompt: tokens"),
        ("config, hardware", "requests.settings: id.*, cfg.*"),
    ),
    marks=(b'"block_tokens"',),
    sniff=_sniff,
    parse=_parse,
)
