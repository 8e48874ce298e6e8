"""Converting large response files: the same rows, in any number of processes."""

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from specstats.bench import convert as converting
from specstats.bench.convert import convert
from specstats.layout import Layout
from specstats.readers.llamacpp._columnar import Sizes
from specstats.source import expand
from tests.readers.llamacpp_server.responses import response, written

linux = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux only")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "in"
    place.mkdir()
    plain = [response(number) for number in range(900)]
    (place / "base-1.jsonl").write_bytes(written(*plain * 4))
    wrapped = [response(n, arm="x", pid=n % 2, process_start=1.5) for n in range(90)]
    told = [response(n, run=n % 3, block=1) for n in range(90)]
    (place / "spec-2.jsonl").write_bytes(written(*plain * 4, *wrapped, *told))
    return place


LAYOUTS: dict[str, Layout] = {
    "none": Layout(),
    "arm and run": Layout.from_template("{arm}-{run}.jsonl"),
    "all": Layout.from_template("{arm}-{repeat}.jsonl"),
    "prompt": Layout.from_template("{prompt}-{run}.jsonl"),
    "workload": Layout.from_template("{workload}-{block}.jsonl"),
    "run a file": Layout(run_per_file=True),
    "arms": Layout(arms=(("a", "base*"), ("b", "spec*"))),
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_convert_writes_the_same_rows(
    tmp_path: Path, folder: Path, layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(item.size > Sizes().least for item in expand(folder))
    fast, slow = tmp_path / "fast", tmp_path / "slow"
    counts = convert(folder, fast, form="parquet", layout=layout)
    monkeypatch.setattr(converting, "Parquet", type("Other", (), {}))
    assert convert(folder, slow, form="parquet", layout=layout) == counts
    for name in ("requests", "steps"):
        if (slow / f"{name}.parquet").exists():
            expected = pq.read_table(slow / f"{name}.parquet")
            found = pq.read_table(fast / f"{name}.parquet")
            assert found.equals(expected)
            assert found.schema.equals(expected.schema, check_metadata=True)


def run(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[3],
        timeout=60,
    )
    return done.stdout


@linux
def test_convert_in_processes_writes_the_same(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_bytes(written(*map(response, range(4000)), *["{"], response(5)))
    code = (
        "import sys, specstats.readers.llamacpp._columnar as columnar\n"
        "from specstats.readers import _forked\n"
        "columnar.Sizes.__init__.__kwdefaults__.update(shared=1, unit=50_000)\n"
        "_forked.processes = lambda: int(sys.argv[3])\n"
        "from specstats.cli.main import main\n"
        "main(['convert', sys.argv[1], '--to', 'parquet', '-o', sys.argv[2]])\n"
    )
    for workers in ("1", "3"):
        run(code, str(path), str(tmp_path / workers), workers)
    one, three = (
        pq.read_table(tmp_path / name / "requests.parquet") for name in ("1", "3")
    )
    assert one.num_rows == 4001
    assert three.equals(one)


@linux
def test_an_interrupt_ends_the_processes_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    path.write_bytes(written(*map(response, range(4000))))
    code = (
        "import os, signal, sys, time\n"
        "import specstats.readers.llamacpp._columnar as columnar\n"
        "from specstats.bench.convert import convert\n"
        "from specstats.layout import Layout\n"
        "from specstats.readers import _forked\n"
        "columnar.Sizes.__init__.__kwdefaults__.update("
        "shared=1, unit=50_000, units=1)\n"
        "_forked.processes = lambda: 2\n"
        "def show(state):\n"
        "    if state.rows > 100:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        time.sleep(9)\n"
        "try:\n"
        "    convert(sys.argv[1], sys.argv[2], form='parquet', layout=Layout(),"
        " progress=show)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
        "try:\n"
        "    os.waitpid(-1, 0)\n"
        "except ChildProcessError:\n"
        "    print('none left')\n"
    )
    assert run(code, str(path), str(tmp_path / "out")) == "interrupted\nnone left\n"
    assert [item.name for item in tmp_path.iterdir()] == ["big.jsonl"]


def test_columns_are_made_without_pandas(tmp_path: Path) -> None:
    """Loading it takes longer than a hundred megabytes of responses."""
    path = tmp_path / "big.jsonl"
    path.write_bytes(written(*map(response, range(4000))))
    assert path.stat().st_size > Sizes().least
    code = (
        "import sys\n"
        "from specstats.bench.convert import convert\n"
        "from specstats.layout import Layout\n"
        "convert(sys.argv[1], sys.argv[2], form='parquet', layout=Layout())\n"
        "print({'pandas', 'pyarrow.compute'} & sys.modules.keys())\n"
    )
    assert run(code, str(path), str(tmp_path / "out")) == "set()\n"
