"""Launch order: declared, by time, or by the numbers in run names."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats

HEADER = '{"specstats.table": "requests"}'
Write = Callable[..., None]


def table(*rows: dict[str, object]) -> bytes:
    return "\n".join([HEADER, *map(json.dumps, rows)]).encode()


def row(**values: object) -> dict[str, object]:
    return {"n_output": 10, "decode_s": 1.0, **values}


def response(**values: object) -> str:
    timings = {"predicted_n": 10, "predicted_ms": 1000.0, "predicted_per_second": 10.0}
    return json.dumps({"timings": timings, **values})


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def files(**_: str) -> None:
        for name, content in _.items():
            path = tmp_path / name.replace("__", "/").replace("_json", ".json")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    return files


@pytest.mark.parametrize(
    ("rows", "source", "orders"),
    [
        ((row(run="b", order=2), row(run="a", order=1)), "declared", [2, 1]),
        ((row(run="b", started_s=9.0), row(run="a", started_s=5.0)), "time", [9, 5]),
        ((row(run="b", ended_s=9.0), row(run="a", ended_s=5.0)), "time", [9, 5]),
        ((row(run="b", ended_s=5.0), row(run="a", ended_s=5.0)), None, [None, None]),
        ((row(run="b", ended_s=5.0), row(run="a")), None, [None, None]),
        ((row(run="b", order=1), row(run="a")), None, [None, None]),
    ],
)
def test_launch_order(
    rows: tuple[dict[str, object], ...],
    source: str | None,
    orders: list[float | None],
) -> None:
    bench = specstats.read(table(*({"arm": "a", **values} for values in rows)))

    assert bench.order_from == source
    assert [run.order for run in bench.runs] == orders


def test_launch_order_from_run_names(tmp_path: Path, write: Write) -> None:
    write(a__10_json=response(a=1), b__9_json=response(a=2), c__x_json=response(a=3))

    bench = specstats.read(tmp_path, layout="{arm}/{run}.json")
    (tmp_path / "c" / "x.json").unlink()
    numbered = specstats.read(tmp_path, layout="{arm}/{run}.json")

    assert bench.order_from is None
    assert numbered.order_from == "run names"
    assert [run.order for run in numbered.runs] == [10.0, 9.0]
    assert ("launch order",) in [x.where for x in numbered.findings.of("SPS012")]
