"""Requests of no known launch beside known ones of their arm are no replicates."""

import json

import specstats
from specstats.bench import Bench
from specstats.results import Verdict

HEADER = '{"specstats.table": "requests"}'
BASE = (4.0, 4.1, 4.2)


def bench_of(*, loose: bool) -> Bench:
    rows: list[dict[str, object]] = []
    for arm, factor in (("base", 1.0), ("spec", 0.5)):
        known = BASE[:2] if loose else BASE
        for number, seconds in enumerate(known):
            rows.append(
                {"arm": arm, "process": f"{arm}{number}", "decode_s": seconds * factor}
            )
        if loose:
            rows.append({"arm": arm, "decode_s": BASE[2] * factor})
    lines = [
        json.dumps({"prompt": "p", "n_output": 128, "order": place, **row})
        for place, row in enumerate(rows)
    ]
    return specstats.read("\n".join([HEADER, *lines]).encode())


def test_they_make_no_verdict_possible() -> None:
    design = specstats.Design(baseline="base")

    (with_three,) = specstats.compare_all(bench_of(loose=False), design)
    (with_two,) = specstats.compare_all(bench_of(loose=True), design)

    assert (with_three.n_runs_baseline, with_three.n_runs_candidate) == (3, 3)
    assert (with_two.n_runs_baseline, with_two.n_runs_candidate) == (2, 2)
    assert with_two.verdict in {Verdict.INSUFFICIENT, Verdict.REFUSED}


def test_they_are_said_and_counted() -> None:
    found = specstats.check(bench_of(loose=True)).of("SPS005")

    assert [item.message for item in found] == [
        f"{arm}: 1 request of no known launch beside 2 known launches may be of the "
        "same servers, and are left out"
        for arm in ("base", "spec")
    ]
    assert not specstats.check(bench_of(loose=False)).of("SPS005")


def test_their_values_are_left_out_and_their_requests_shown() -> None:
    study = specstats.summarize(bench_of(loose=True))

    (base,) = [arm for arm in study.arms if arm.arm == "base"]
    assert (base.n_runs, base.n_requests) == (2, 3)
    assert base.metrics["decode_rate"].n_runs == 2
    assert base.metrics["decode_rate"].n_requests == 2
