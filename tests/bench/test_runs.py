"""Telling launches apart: proved, declared, unknown; names, order and blocks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import specstats
from specstats.bench import Bench, Run

HEADER = '{"specstats.table": "requests"}'
Write = Callable[..., None]


def table(*rows: dict[str, object]) -> bytes:
    return "\n".join([HEADER, *map(json.dumps, rows)]).encode()


def row(**values: object) -> dict[str, object]:
    return {"n_output": 10, "decode_s": 1.0, **values}


def response(**values: object) -> str:
    timings = {"predicted_n": 10, "predicted_ms": 1000.0, "predicted_per_second": 10.0}
    return json.dumps({"timings": timings, **values})


def facts(runs: tuple[Run, ...]) -> list[tuple[object, ...]]:
    return [(run.run_id, run.arm, run.block, run.boundary) for run in runs]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def files(**_: str) -> None:
        for name, content in _.items():
            path = tmp_path / name.replace("__", "/").replace("_json", ".json")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    return files


def test_files_of_an_arm_are_one_unknown_run(tmp_path: Path, write: Write) -> None:
    write(
        base__1_json=response(a=1), base__2_json=response(a=2), spec__1_json=response()
    )

    bench = specstats.read(tmp_path, layout="{arm}/{repeat}.json")

    assert facts(bench.runs) == [
        ("base", "base", None, "unknown"),
        ("spec", "spec", None, "unknown"),
    ]
    assert bench.runs[0].sources == ("base/1.json", "base/2.json")
    assert bench.column("requests", "run_id") == ["base", "base", "spec"]
    assert bench.column("requests", "repetition") == [1, 2, 1]
    assert [item.run_boundary for item in bench.inputs] == ["unknown"] * 3


def test_workloads_of_an_unknown_launch_are_no_launches(
    tmp_path: Path, write: Write
) -> None:
    write(base__code_json=response(a=1), base__prose_json=response(a=2))

    bench = specstats.read(tmp_path, layout="{arm}/{workload}.json")

    assert facts(bench.runs) == [("base", "base", None, "unknown")]
    assert bench.column("requests", "workload") == ["code", "prose"]


def test_blocks_divide_unknown_runs(tmp_path: Path, write: Write) -> None:
    write(mon__base_json=response(a=1), tue__base_json=response(a=2))

    bench = specstats.read(tmp_path, layout="{block}/{arm}.json")

    assert facts(bench.runs) == [
        ("base/mon", "base", "mon", "unknown"),
        ("base/tue", "base", "tue", "unknown"),
    ]


def test_a_layout_with_run_declares(tmp_path: Path, write: Write) -> None:
    write(base__1_json=response(a=1), base__2_json=response(a=2))

    bench = specstats.read(tmp_path, layout="{arm}/{run}.json")

    assert facts(bench.runs) == [
        ("base/1", "base", None, "declared"),
        ("base/2", "base", None, "declared"),
    ]
    assert {run.declared_by for run in bench.runs} == {"layout"}


def test_a_file_a_run(tmp_path: Path, write: Write) -> None:
    write(base__1_json=response(a=1), base__2_json=response(a=2))

    bench = specstats.read(tmp_path, run_per_file=True)

    assert facts(bench.runs) == [
        ("base/1.json", "base", None, "declared"),
        ("base/2.json", "base", None, "declared"),
    ]
    assert bench.runs[0].declared_by == "run-per-file"


def test_a_file_a_run_survives_a_manifest(tmp_path: Path, write: Write) -> None:
    write(base__1_json=response(a=1), base__2_json=response(a=2))
    (tmp_path / "study.toml").write_text('[study]\ntitle = "x"\n')

    layout = specstats.Layout(run_per_file=True)

    assert len(specstats.read(tmp_path, layout=layout).runs) == 2


def test_processes_prove(tmp_path: Path, write: Write) -> None:
    one = {"arm": "a", "pid": 7, "process_start": 100.5}
    two = {"arm": "a", "pid": 8, "process_start": 200.0}
    write(
        x_json="\n".join(response(spec=s, id=n) for n, s in enumerate((one, two, one)))
    )

    bench = specstats.read(tmp_path)

    assert facts(bench.runs) == [
        ("a/process-1", "a", None, "proved"),
        ("a/process-2", "a", None, "proved"),
    ]
    assert bench.runs[0].processes == ("7@100.5",)
    assert [run.n_requests for run in bench.runs] == [2, 1]
    assert (bench.order_from, bench.runs[1].order) == ("time", 200.0)


def test_half_an_identity_proves_nothing(tmp_path: Path, write: Write) -> None:
    write(x_json=response(spec={"arm": "a", "pid": 7}))

    assert specstats.read(tmp_path).runs[0].boundary == "unknown"


def test_rows_declare() -> None:
    bench = specstats.read(table(row(arm="a", run=1), row(arm="a", run="2")))

    assert facts(bench.runs) == [
        ("1", "a", None, "declared"),
        ("2", "a", None, "declared"),
    ]
    assert bench.runs[0].declared_by == "rows"


def test_what_rows_say_of_their_boundary_is_kept() -> None:
    bench = specstats.read(
        table(
            row(arm="a", run="x", process="7@1", run_boundary="declared"),
            row(arm="a", run="y", process="7@1", run_boundary="declared"),
            row(arm="a", run="z", process="9@1", run_boundary="proved"),
            row(arm="a", run="u", process="9@1", run_boundary="unknown"),
            row(arm="a", run="v", run_boundary="proved"),
        )
    )

    assert facts(bench.runs) == [
        ("x", "a", None, "declared"),
        ("y", "a", None, "declared"),
        ("a/process-1", "a", None, "proved"),
        ("a", "a", None, "unknown"),
        ("v", "a", None, "proved"),
    ]


def test_names_of_runs_are_unique() -> None:
    bench = specstats.read(
        table(
            row(arm="a", run="1"),
            row(arm="b", run="1"),
            row(arm="a"),
            row(arm="c", run="a"),
            row(arm="a", run="1", block="x"),
            row(arm="a/x", run="1"),
        )
    )
    names = [run.run_id for run in bench.runs]

    assert names == ["a/1", "b/1", "a", "a#2", "a/x/1", "a/x/1#2"]
    assert bench.column("requests", "run_id") == names


def test_a_layout_with_run_closes_blocks_from_rows(
    tmp_path: Path, write: Write
) -> None:
    content = response(spec={"block": "mon", "arm": "other"})
    write(base__1_json=content)

    closed = specstats.read(tmp_path, layout="{arm}/{run}.json")
    kept = specstats.read(tmp_path, layout="{arm}/{repeat}.json")
    given = specstats.read(tmp_path, layout="{block}/{run}.json")

    assert closed.runs[0].block is None
    assert kept.runs[0].block == "mon"
    assert (given.runs[0].block, given.runs[0].arm) == ("base", "other")


def test_layouts_come_before_rows_and_rows_before_inference(
    tmp_path: Path, write: Write
) -> None:
    write(base__1_json=response(spec={"arm": "row", "run": "r", "prompt_id": "p"}))

    by_layout = specstats.read(tmp_path, layout="{arm}/{prompt}.json")
    by_rows = specstats.read(tmp_path)

    assert by_layout.arms == ("base",)
    assert by_layout.column("requests", "prompt_id") == ["1"]
    assert by_rows.arms == ("row",)
    assert by_rows.column("requests", "prompt_id") == ["p"]


def test_settings_of_a_run() -> None:
    bench = specstats.read(
        table(
            row(arm="a", run="1", **{"cfg.x": 1, "cfg.y": 1, "id.m": "m"}),
            row(arm="a", run="1", **{"cfg.x": 1, "cfg.y": 2}),
            row(arm="a", run="1", error="gone"),
        )
    )
    (run,) = bench.runs

    assert run.settings == {"cfg.x": 1, "id.m": "m"}
    assert run.varying == {"cfg.y": (1, 2)}
    assert (run.n_requests, run.n_failed) == (3, 1)


def test_settings_of_the_manifest_join_those_of_the_rows(
    tmp_path: Path, write: Write
) -> None:
    write(a_json=response(depth=4, sigma=1))
    (tmp_path / "study.toml").write_text(
        '[[runs]]\nrun = "A"\narm = "x"\nfiles = ["a.json"]\n'
        "settings = { depth = 8, cache_prompt = true }\n"
    )

    (run,) = specstats.read(tmp_path).runs

    assert run.settings == {"cfg.sigma": 1, "cfg.cache_prompt": True}
    assert run.varying == {"cfg.depth": (4, 8)}


def test_the_first_request_of_a_run() -> None:
    bench = specstats.read(
        table(
            row(arm="a", run="1", n_cached=7, ended_s=20.0),
            row(arm="a", run="1", n_cached=0, ended_s=10.0),
            row(arm="a", run="2", n_cached=5),
        )
    )

    assert [run.first_cached for run in bench.runs] == [0, 5]
    assert bench.runs[0].started_s == 10.0


def test_frames(tmp_path: Path) -> None:
    bench: Bench = specstats.read(table(row(arm="a", run="1", **{"cfg.x": 1})))

    frame = bench.runs_frame()

    assert frame.loc[0, "cfg.x"] == 1
    assert bench.to_frame()["n_output"].tolist() == [10]
    assert repr(bench) == "Bench(1 arms, 1 runs, 1 requests, 1 files, 0 findings)"


def test_steps_get_the_run_of_their_request(tmp_path: Path, write: Write) -> None:
    spec = {"accepted": [1, 2], "drafted": [2, 2]}
    write(a__1_json=response(spec=spec), a__2_json=response(spec=spec, b=1))

    bench = specstats.read(tmp_path, layout="{arm}/{run}.json")

    assert bench.column("steps", "run_id") == ["a/1", "a/1", "a/2", "a/2"]
