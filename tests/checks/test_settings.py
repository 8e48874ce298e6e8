"""SPS102 and SPS112: settings and identities."""

from collections.abc import Callable

import pytest

import specstats
from specstats import Comparison, Design, Verdict
from specstats.testing import launch_rows, read_rows

BASE = [100.0, 101.3, 99.2, 100.6]
NEW = [110.0, 111.2, 109.1, 110.9]
Row = dict[str, object]
Value = Callable[[Row], object]


def compare(design: Design, **columns: Value) -> Comparison:
    rows = launch_rows({"base": BASE, "new": NEW})
    for row in rows:
        row |= {
            name.replace("__", "."): made(row)
            for name, made in columns.items()
            if made(row) is not None
        }
    return specstats.speedup(read_rows(rows), design)


def by_arm(row: Row) -> object:
    return row["arm"]


def by_run(row: Row) -> object:
    return row["run"] if row["arm"] == "new" else "one"


PLAIN = Design(baseline="base")


def test_settings_constant_inside_arms_define_them() -> None:
    assert compare(PLAIN, cfg__n_max=by_arm).verdict is Verdict.FASTER


@pytest.mark.parametrize(
    ("key", "code"), [("cfg__ngl", "SPS102"), ("id__build", "SPS112")]
)
def test_what_varies_inside_an_arm(key: str, code: str) -> None:
    found = compare(PLAIN, **{key: by_run})
    assert found.verdict is Verdict.REFUSED
    assert code in found.findings.errors.codes


@pytest.mark.parametrize("key", ["cfg__ngl", "id__build"])
@pytest.mark.parametrize("bare", [False, True])
def test_what_is_ignored_may_vary(key: str, bare: bool) -> None:
    name = key.partition("__")[2] if bare else key.replace("__", ".")
    design = Design(baseline="base", ignore=(name,))
    assert compare(design, **{key: by_run}).verdict is Verdict.FASTER


@pytest.mark.parametrize(
    "key", ["id__build", "id__model", "id__gpu", "id__quantisation"]
)
def test_identities_that_differ_between_arms(key: str) -> None:
    found = compare(PLAIN, **{key: by_arm})
    assert found.verdict is Verdict.REFUSED
    assert "SPS112" in found.findings.errors.codes
    factor = Design(baseline="base", factor=key.replace("__", "."))
    assert compare(factor, **{key: by_arm}).verdict is Verdict.FASTER


def test_an_explicit_factor_forbids_other_differences() -> None:
    design = Design(baseline="base", factor="n_max")
    assert compare(design, cfg__n_max=by_arm).verdict is Verdict.FASTER
    found = compare(design, cfg__n_max=by_arm, cfg__p_min=by_arm)
    assert found.verdict is Verdict.REFUSED
    assert "SPS102" in found.findings.errors.codes


def test_a_setting_that_varies_inside_a_launch() -> None:
    rows = launch_rows({"base": BASE, "new": NEW}, n_requests=2)
    rows = [{**row, "cfg.top_k": row["repeat"]} for row in rows]
    found = specstats.speedup(read_rows(rows), PLAIN)
    assert "SPS102" in found.findings.errors.codes


def test_identifiers_and_measurements_are_no_settings() -> None:
    found = compare(
        PLAIN,
        request_id=lambda row: row["run"],
        process=lambda row: row["run"],
        ttft_s=lambda row: row["decode_s"],
    )
    assert found.verdict is Verdict.FASTER


def test_it_bears_on_the_arms_concerned_only() -> None:
    rows = launch_rows({"base": BASE, "new": NEW, "odd": [99.0, 98.0, 97.5]})
    for row in rows:
        row["cfg.ngl"] = row["run"] if row["arm"] == "odd" else 1
    found = {
        item.candidate: item.verdict
        for item in specstats.compare_all(read_rows(rows), PLAIN)
    }
    assert found == {"new": Verdict.FASTER, "odd": Verdict.REFUSED}


def test_allow_makes_it_a_warning() -> None:
    rows = launch_rows({"base": BASE, "new": NEW})
    rows = [{**row, "id.build": row["arm"]} for row in rows]
    found = specstats.speedup(read_rows(rows), PLAIN, allow=["SPS112"])
    assert found.verdict is Verdict.FASTER
    (item,) = found.findings.of("SPS112")
    assert item.message.startswith("allowed by user")
