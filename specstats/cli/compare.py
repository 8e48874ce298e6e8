"""``specstats compare``: two paths, one comparison."""

from __future__ import annotations

import glob
from pathlib import Path

import click

from specstats.cli._options import Reading, analysis_options, output_options
from specstats.errors import DesignError

__all__ = ["compare"]


@click.command(short_help="Compare two files or folders of runs.")
@click.argument("baseline_path", metavar="BASELINE", type=click.Path(exists=True))
@click.argument("candidate_path", metavar="CANDIDATE", type=click.Path(exists=True))
@click.option("--run-per-file", is_flag=True, help="Each file is one launch.")
@click.option("--layout", metavar="TEMPLATE", help="Path template inside each folder.")
@analysis_options
@output_options
def compare(**options: object) -> int:
    """Compare CANDIDATE with BASELINE, each a file or a folder of runs."""
    from specstats.cli._finish import conditions_of, finish
    from specstats.cli._run import bench_of, summary_of

    paths = (str(options["baseline_path"]), str(options["candidate_path"]))
    conditions, layout = conditions_of(options), options["layout"]
    if Path(paths[0]).resolve() == Path(paths[1]).resolve():
        raise DesignError("BASELINE and CANDIDATE are one path. Expected two")
    if options["baseline"] is not None:
        raise DesignError("compare: --baseline is the first PATH. Expected none")
    names = _names(paths)
    reading = Reading(
        paths=paths,
        arms=(),
        named=tuple(zip(names, map(_files, paths), strict=True)),
        layout=layout if isinstance(layout, str) else None,
        study=None,
        run_per_file=bool(options["run_per_file"]),
        format_name=None,
    )
    chosen = {**options, "baseline": names[0], "candidate": names[1]}
    return finish(summary_of(bench_of(reading), chosen), conditions, options)


def _names(paths: tuple[str, str]) -> tuple[str, str]:
    from specstats.bench.infer import without_suffixes

    first, second = (
        without_suffixes(Path(path).absolute().name) or "run" for path in paths
    )
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _files(path: str) -> str:
    place = glob.escape(str(Path(path).absolute()))
    return f"{place}/**" if Path(path).is_dir() else place
