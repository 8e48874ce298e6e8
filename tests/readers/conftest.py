"""What the tests of readers share."""

import io
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import specstats
from specstats.bench import Bench
from specstats.errors import ArtifactError, SpecstatsError
from specstats.readers._base import Batch
from specstats.readers._registry import choose
from specstats.schema import TABLES
from specstats.source import Source

ARTIFACTS = Path(__file__).parent / "artifacts"
_FAULTS_SHOWN = 5


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Folder of the fixture artifacts: one folder a format, one below it a producer."""
    return ARTIFACTS


@pytest.fixture(scope="session")
def to_parquet() -> Callable[[pa.Table], bytes]:
    """Write a table as the bytes of a Parquet file, without compression."""

    def write(table: pa.Table) -> bytes:
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="none")
        return sink.getvalue()

    return write


@pytest.fixture(scope="session")
def parse() -> Callable[..., list[Batch]]:
    """Parse bytes with the reader that claims them."""

    def batches(content: bytes | str, name: str = "case") -> list[Batch]:
        data = content.encode() if isinstance(content, str) else content
        source = Source(name=name, data=data)
        return list(choose(source).parse(source))

    return batches


@pytest.fixture(scope="session")
def rows(parse: Callable[..., list[Batch]]) -> Callable[..., list[dict[str, object]]]:
    """Parse bytes into the rows of one table."""

    def of_table(
        content: bytes | str, table: str = "requests"
    ) -> list[dict[str, object]]:
        return [
            dict(zip(columns, values, strict=True))
            for batch in parse(content)
            if (columns := batch.tables.get(table)) is not None
            for values in zip(*columns.values(), strict=True)
        ]

    return of_table


@pytest.fixture(scope="session")
def codes(parse: Callable[..., list[Batch]]) -> Callable[..., list[tuple[str, str]]]:
    """Parse bytes into the codes and places of what was found."""

    def found(content: bytes | str) -> list[tuple[str, str]]:
        return [
            (item.code, item.where[0])
            for batch in parse(content)
            for item in batch.findings
        ]

    return found


@pytest.fixture(scope="session")
def read_or_refuse() -> Callable[..., Bench | None]:
    """Read bytes; a typed error gives None, any other error fails the test."""

    def outcome(content: bytes, format_name: str | None = None) -> Bench | None:
        try:
            bench = specstats.read(content, format=format_name)
        except SpecstatsError as error:
            check_refusal(error)
            return None
        for table in TABLES:
            assert isinstance(getattr(bench, table), pa.Table)
        assert all(item.where for item in bench.findings)
        return bench

    return outcome


@pytest.fixture(scope="session")
def faults_of(
    read_or_refuse: Callable[..., Bench | None],
) -> Callable[..., list[str]]:
    """Read many changed artifacts; say which of them did what they may not."""

    def faults(
        attacks: Iterable[tuple[str, bytes]], format_name: str | None = None
    ) -> list[str]:
        found: list[str] = []
        for what, content in attacks:
            try:
                read_or_refuse(content, format_name)
            except Exception as error:  # noqa: BLE001 - every one is a fault
                place = traceback.extract_tb(error.__traceback__)[-1]
                found.append(
                    f"{what}: {type(error).__name__}: {str(error)[:200]} "
                    f"({Path(place.filename).name}:{place.lineno})"
                )
            if len(found) == _FAULTS_SHOWN:
                break
        return found

    return faults


def check_refusal(error: SpecstatsError) -> None:
    assert isinstance(error, ArtifactError)
    assert error.source == "<bytes>"
    assert str(error).isprintable() or "\n" not in str(error)
