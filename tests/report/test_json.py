"""The JSON report: fixed keys, all of them present; null for what is not known."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import jsonschema
import pytest

from specstats.report import to_json
from specstats.results import StudySummary

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "report.schema.json"

# The keys that users' scripts rely on: keys may be added, none renamed or left out.
BAND = {"ratio", "conf_level", "runs"}
SPREAD = {
    *("run_sd_log", "sd_low", "sd_high", "run_cv", "next_run_low", "next_run_high"),
    *("aa_band", "aa_band_between_blocks", "components"),
}
METRIC = {
    *("unit", "rate_convention", "estimate", "mean", "conf_low", "conf_high"),
    *("conf_level", "min", "max", "spread"),
}
ACCEPTANCE = {
    *("rate", "conf_low", "conf_high", "conf_level", "drafted", "accepted", "cluster"),
    *("n_clusters", "n_distinct_generations", "method", "steps", "tokens_per_step"),
    *("step_convention", "token_interval", "naive"),
}
TELEMETRY = {
    *("peak_memory_mib", "peak_power_w", "mean_power_w", "peak_utilisation_pct"),
    *("peak_temperature_c", "energy_per_token_j"),
}
ARM = {
    *("arm", "n_runs", "n_blocks", "n_prompts", "n_requests", "n_failed"),
    *("n_distinct_outputs", "settings", "metrics", "acceptance", "telemetry"),
}
COMPARISON = {
    *("metric", "baseline", "candidate", "headline", "scope", "verdict"),
    *("observed_ratio", "estimate", "conf_low", "conf_high", "conf_level"),
    *("simultaneous_low", "simultaneous_high", "p_value", "p_holm", "family_size"),
    *("method", "unit", "df", "n_runs", "n_blocks", "aa_band", "difference", "needs"),
    *("sentence", "findings"),
}
INPUT = {
    *("path", "sha256", "format", "producer", "entries", "parsed", "failed_requests"),
    "run_boundary",
}
DETERMINISM = {
    *("arm", "prompt", "n_requests", "n_distinct_outputs", "first_differs"),
    *("explained_by", "same_outputs_as"),
}
FINDING = {
    *("code", "slug", "level", "message", "where", "observed", "required", "remedy"),
}
REPORT = {
    *("schema", "specstats_version", "inputs", "arms", "controls", "noise_floor"),
    *("comparisons", "determinism", "findings"),
}
# Keys that may be null, with the keys of what stands there otherwise.
NULLABLE = {
    "aa_band": BAND,
    "aa_band_between_blocks": BAND,
    "spread": SPREAD,
    "components": {"run", "request", "icc"},
    "acceptance": ACCEPTANCE,
    "telemetry": TELEMETRY,
    "token_interval": {"low", "high", "label"},
    "naive": {"drafted", "accepted", "rate"},
    "difference": {"peak_memory_mib", "peak_power_w"},
    "needs": {"runs_per_arm", "why"},
    "noise_floor": {"ratio", "from"},
    "n_runs": {"baseline", "candidate"},
}
LISTS = {
    "inputs": INPUT,
    "arms": ARM,
    "controls": COMPARISON,
    "comparisons": COMPARISON,
    "determinism": DETERMINISM,
    "findings": FINDING,
}


def report_of(study: StudySummary) -> dict[str, object]:
    content = json.loads(to_json(study), parse_constant=pytest.fail)
    assert isinstance(content, dict)
    return content


def missing_keys(value: object, where: str = "$") -> Iterator[str]:
    """Give every place that lacks a key."""
    if isinstance(value, list):
        for place, item in enumerate(value):
            yield from missing_keys(item, f"{where}[{place}]")
    if not isinstance(value, Mapping):
        return
    for key, item in value.items():
        wanted: set[str] = set()
        if isinstance(item, Mapping):
            wanted = NULLABLE.get(key, set())
            yield from (f"{where}.{key}: {name}" for name in wanted - set(item))
        if key == "metrics" and isinstance(item, Mapping):
            for name, metric in item.items():
                yield from (f"{where}.{name}: {key}" for key in METRIC - set(metric))
        if key in LISTS and isinstance(item, list) and item and where == "$":
            for row in item:
                yield from (f"{where}.{key}: {name}" for name in LISTS[key] - set(row))
        yield from missing_keys(item, f"{where}.{key}")


def numbers_in(value: object) -> Iterator[float]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, float):
        yield value


def test_every_fixed_key_is_present(study: StudySummary) -> None:
    content = report_of(study)

    assert set(content) >= REPORT
    assert content["schema"] == "specstats.report/1"
    assert list(missing_keys(content)) == []


def test_a_missing_key_is_noticed(make: Callable[[str], StudySummary]) -> None:
    content = report_of(make("h200"))
    arms = content["arms"]
    assert isinstance(arms, list)
    del arms[0]["metrics"]["decode_rate"]["spread"]["run_cv"]
    del arms[1]["n_failed"]

    assert list(missing_keys(content)) == [
        "$.arms: n_failed",
        "$.arms[0].metrics.decode_rate.spread: run_cv",
    ]


def test_numbers_are_finite(study: StudySummary) -> None:
    found = list(numbers_in(report_of(study)))

    assert found
    assert all(map(math.isfinite, found))


def test_the_schema_accepts_it(study: StudySummary) -> None:
    if not SCHEMA.is_file():
        pytest.fail("docs/reference/report.schema.json is missing")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))

    jsonschema.validate(json.loads(to_json(study)), schema)


def test_one_headline_a_pair_metric_and_workload(study: StudySummary) -> None:
    pairs = [
        (item.baseline, item.candidate, item.metric, item.workload)
        for item in study.comparisons
    ]
    headlines = [
        (item.baseline, item.candidate, item.metric, item.workload)
        for item in study.headlines
    ]

    assert sorted(map(str, headlines)) == sorted({str(pair) for pair in pairs})


def test_what_is_refused_is_null(make: Callable[[str], StudySummary]) -> None:
    rows = [item.to_dict() for item in make("outcomes").comparisons]
    (refused,) = [row for row in rows if row["verdict"] == "refused"]

    for key in ("estimate", "conf_low", "conf_high", "conf_level", "df", "method"):
        assert refused[key] is None
    for key in ("p_value", "p_holm", "simultaneous_low", "simultaneous_high"):
        assert refused[key] is None
    assert refused["observed_ratio"] == pytest.approx(35.0 / 30.0, rel=0.01)
    assert refused["findings"] == ["SPS101"]
