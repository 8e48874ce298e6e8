"""One setting launched four times, then four times under another name, while it drifts.

Whatever tells the order, and however little the runs vary besides, nothing may come out
faster or slower.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Cli = Callable[..., tuple[int, dict[str, Any]]]
DRIFTS = (-0.30, -0.10, -0.03, 0.03, 0.10, 0.30)
N = 128


def rates(drift: float, seed: int) -> list[float]:
    """Eight launches of one setting, rising or falling by `drift` in all."""
    rng = np.random.default_rng(seed)
    level = np.log(50.0) + np.log1p(drift) * np.arange(8) / 7
    return [float(x) for x in np.exp(level + rng.normal(0.0, 0.003, 8))]


def response(rate: float, turn: int, created: float | None) -> dict[str, object]:
    timings = {
        "prompt_n": 34,
        "prompt_ms": 220.0 + turn,
        "predicted_n": N,
        "predicted_ms": 1000 * N / rate * (1 + 0.001 * turn),
    }
    timings["predicted_per_second"] = N / timings["predicted_ms"] * 1000
    found: dict[str, object] = {
        "choices": [{"finish_reason": "length", "message": {"content": "x"}}],
        "model": "m.gguf",
        "timings": timings,
    }
    return found if created is None else {**found, "created": int(created)}


def write_server_files(
    folder: Path, drift: float, seed: int, *, clock: bool, names: list[str]
) -> None:
    for place, (name, rate) in enumerate(zip(names, rates(drift, seed), strict=True)):
        lines = [
            json.dumps(
                response(rate, k, 1.78e9 + 60 * place + 5 * k if clock else None)
            )
            for k in range(3)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def check(report: dict[str, Any]) -> None:
    (item,) = [one for one in report["comparisons"] if one["headline"]]
    assert item["n_runs"] == {"baseline": 4, "candidate": 4}
    assert item["verdict"] in {"refused", "inconclusive"}
    assert "SPS104" in item["findings"]
    for one in report["comparisons"]:
        assert one["verdict"] not in {"faster", "slower", "equivalent"}


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize("seed", range(3))
def test_order_from_time_stamps(
    cli: Cli, tmp_path: Path, drift: float, seed: int
) -> None:
    names = [f"off-{k}" for k in range(4)] + [f"on-{k}" for k in range(4)]
    write_server_files(tmp_path, drift, seed, clock=True, names=names)
    _, report = cli(tmp_path, "--layout", "{arm}-{run}.jsonl", "--baseline", "off")
    check(report)


@pytest.mark.parametrize("drift", DRIFTS)
def test_order_from_run_numbers(cli: Cli, tmp_path: Path, drift: float) -> None:
    names = [f"off-{k}" for k in range(4)] + [f"on-{k}" for k in range(4, 8)]
    write_server_files(tmp_path, drift, 0, clock=False, names=names)
    _, report = cli(tmp_path, "--layout", "{arm}-{run}.jsonl", "--baseline", "off")
    check(report)
    assert "SPS012" in {item["code"] for item in report["findings"]}


@pytest.mark.parametrize("drift", DRIFTS)
def test_order_from_the_manifest(cli: Cli, tmp_path: Path, drift: float) -> None:
    names = list("abcdefgh")
    write_server_files(tmp_path, drift, 1, clock=False, names=names)
    text = '[study]\nbaseline = "off"\n'
    for place, name in enumerate(names):
        text += f'[[runs]]\nrun = "{name}"\narm = "{"off" if place < 4 else "on"}"\n'
        text += f'order = {place + 1}\nfiles = ["{name}.jsonl"]\n'
    (tmp_path / "study.toml").write_text(text, "utf-8")
    _, report = cli(tmp_path)
    check(report)


def own_rows(drift: float, **columns: Callable[[int], object]) -> str:
    lines: list[dict[str, object]] = [{"specstats.table": "requests", "version": 1}]
    for place, rate in enumerate(rates(drift, 2)):
        for turn in range(3):
            row: dict[str, object] = {
                "arm": "off" if place < 4 else "on",
                "run": f"launch-{place}",
                "n_output": N,
                "decode_s": (N - 1) / rate * (1 + 0.001 * turn),
                "rate_convention": "n-1",
            }
            row |= {name: made(place) for name, made in columns.items()}
            lines.append(row)
    return "\n".join(map(json.dumps, lines))


@pytest.mark.parametrize("drift", DRIFTS)
@pytest.mark.parametrize(
    "columns",
    [
        {"order": lambda place: place, "run": lambda place: "abcdefgh"[place]},
        {
            "ended_s": lambda place: 1.78e9 + 60 * place,
            "run": lambda place: "abcdefgh"[place],
        },
        {
            "started_s": lambda place: 1.78e9 + 60 * place,
            "run": lambda place: str(place % 4),
        },
        {},
        {"run": lambda place: place + 1},
        {"run": lambda place: f"{'off' if place < 4 else 'on'}-{place:03}"},
    ],
    ids=["order", "ended", "started", "launch-N", "N", "arm-N"],
)
def test_own_rows(
    cli: Cli, tmp_path: Path, drift: float, columns: dict[str, Callable[[int], object]]
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(own_rows(drift, **columns), "utf-8")
    _, report = cli(path, "--baseline", "off")
    check(report)


@pytest.mark.parametrize("drift", [-0.30, 0.30])
def test_a_margin_does_not_make_them_equivalent(
    cli: Cli, tmp_path: Path, drift: float
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(own_rows(drift), "utf-8")
    _, report = cli(path, "--baseline", "off", "--margin", "0.5")
    check(report)


@pytest.mark.parametrize("drift", DRIFTS)
def test_one_after_the_other_in_every_block(
    cli: Cli, tmp_path: Path, drift: float
) -> None:
    path = tmp_path / "rows.jsonl"
    arms = {"arm": lambda place: "off" if place % 2 == 0 else "on"}
    path.write_text(
        own_rows(drift, **arms, block=lambda place: f"b{place // 2}"), "utf-8"
    )
    _, report = cli(path, "--baseline", "off")
    check(report)


@pytest.mark.parametrize("drift", DRIFTS)
def test_the_same_way_round_with_unequal_counts(
    cli: Cli, tmp_path: Path, drift: float
) -> None:
    path = tmp_path / "rows.jsonl"
    arms = {"arm": lambda place: "off" if place in {0, 1, 3, 5} else "on"}
    blocks = {"block": lambda place: "b" + "00011222"[place]}
    path.write_text(own_rows(drift, **arms, **blocks), "utf-8")
    _, report = cli(path, "--baseline", "off")
    check(report)


@pytest.mark.parametrize("drift", DRIFTS)
def test_alternating_launches_are_never_told_apart(
    cli: Cli, tmp_path: Path, drift: float
) -> None:
    path = tmp_path / "rows.jsonl"
    arms = {"arm": lambda place: "off" if place in {0, 3, 4, 7} else "on"}
    path.write_text(own_rows(drift, **arms), "utf-8")
    _, report = cli(path, "--baseline", "off")
    (item,) = report["comparisons"]
    assert item["verdict"] == "inconclusive"
    assert "SPS104" not in item["findings"]


def test_unknown_order_is_said(cli: Cli, tmp_path: Path) -> None:
    names = [f"off-{k}" for k in range(4)] + [f"on-{k}" for k in range(4)]
    write_server_files(tmp_path, 0.0, 3, clock=False, names=names)
    _, report = cli(tmp_path, "--layout", "{arm}-{run}.jsonl", "--baseline", "off")
    assert "SPS104" in report["comparisons"][0]["findings"]
    assert any("order is not known" in item["message"] for item in report["findings"])
