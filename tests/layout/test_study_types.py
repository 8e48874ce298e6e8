"""The study manifest: wrong types, unknown and missing keys."""

from pathlib import Path

import pytest

from specstats.errors import DesignError
from specstats.layout import Study


def load(folder: Path, text: str) -> Study:
    (folder / "study.toml").write_text(text, encoding="utf-8")
    return Study.load(folder / "study.toml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "study"
    for name in ("A.1.json", "A.2.json", "B.json", "sub/C.json", "t.csv"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(name)
    return place


RUN = {"run": '"A"', "arm": '"a"', "files": '["A.1.json"]'}


TELEMETRY = {"files": '["t.csv"]'}


TABLES = {"[study]": {}, "[[runs]]": RUN, "[[telemetry]]": TELEMETRY}


TEXT = ("true", "[]", "{}", '["x"]')


NUMBER = ("true", '"6"', "[]", "nan", "inf", "2026-08-07", f"0x{'f' * 30}")


COUNT = ("true", '"1"', "1.0", "-1", "nan", f"0x{'f' * 30}")


TEXTS = ('"x"', "1", "[1]", '["x", 1]', "{}", "[[]]")


WRONG = [
    *(
        ("[study]", key, value)
        for key in ("title", "baseline", "block", "layout", "order")
        for value in TEXT
    ),
    *(
        ("[study]", "controls", value)
        for value in ('"x"', '["a"]', '[["a"]]', '[["a", 1]]', '[["a", "b", "c"]]')
    ),
    *(("[study]", key, value) for key in ("warmup", "seed") for value in COUNT),
    *(("[study]", "ignore", value) for value in TEXTS),
    *(
        ("[[runs]]", key, value)
        for key in ("run", "arm", "block", "workload")
        for value in TEXT
    ),
    *(("[[runs]]", "run", value) for value in ('""', f"0x{'f' * 5000}")),
    *(("[[runs]]", "order", value) for value in NUMBER),
    *(("[[runs]]", "files", value) for value in (*TEXTS, "[]")),
    *(("[[runs]]", "settings", value) for value in ("1", '"x"', "[]")),
    *(
        ("[[runs]]", "settings", f"{{ k = {value} }}")
        for value in ("[1]", "{ a = 1 }", "nan", "inf", f"0x{'f' * 30}")
    ),
    *(("[[telemetry]]", key, value) for key in ("arm", "run") for value in TEXT),
    *(("[[telemetry]]", "timezone", value) for value in (*TEXT, "2", "02:00:00")),
    *(("[[telemetry]]", "files", value) for value in (*TEXTS, "[]")),
]


@pytest.mark.parametrize(("table", "key", "value"), WRONG)
def test_wrong_types_name_file_and_key(
    table: str, key: str, value: str, folder: Path
) -> None:
    keys = {**TABLES[table], key: value}
    text = "\n".join([table, *(f"{name} = {item}" for name, item in keys.items())])

    with pytest.raises(DesignError) as caught:
        load(folder, text)
    message = str(caught.value)
    assert message.startswith(f"study.toml {table}")
    assert (" k " if "k =" in value else key) in message
    assert "xpected" in message
    assert len(message) < 300


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("study = 1", "study"),
        ("runs = 1", "runs"),
        ("runs = [1]", "runs"),
        ("[runs]", "runs"),
        ("telemetry = {}", "telemetry"),
        ("collect = 1", "collect"),
        ("arms = 1", "arms"),
    ],
)
def test_wrong_tables(text: str, key: str, folder: Path) -> None:
    with pytest.raises(DesignError, match=rf"study\.toml: {key} = "):
        load(folder, text)


@pytest.mark.parametrize(
    ("text", "place", "hint"),
    [
        ("[stduy]", r"study\.toml", "'study'"),
        ("[study]\nbasline = 'x'", r"study\.toml \[study\]", "'baseline'"),
        ("[[runs]]\nfile = []", r"study\.toml \[\[runs\]\] 1", "'files'"),
        ("[[telemetry]]\ntime_zone = ''", r"study\.toml \[\[tele", "'timezone'"),
    ],
)
def test_unknown_keys_come_with_a_hint(
    text: str, place: str, hint: str, folder: Path
) -> None:
    with pytest.raises(DesignError, match=f"{place}.*{hint}"):
        load(folder, text)


@pytest.mark.parametrize("key", ["run", "arm", "files"])
def test_required_keys(key: str, folder: Path) -> None:
    kept = [f"{name} = {value}" for name, value in RUN.items() if name != key]

    with pytest.raises(DesignError, match=rf"\[\[runs\]\] 1: {key} is missing"):
        load(folder, "\n".join(["[[runs]]", *kept]))
