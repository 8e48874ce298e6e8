"""``specstats compare``: two paths, one comparison."""

from __future__ import annotations

import glob
from pathlib import Path

import click

from specstats.cli._options import Reading, analysis_options, output_options

__all__ = ["compare"]


@click.command()
@click.argument("baseline_path", metavar="BASELINE", type=click.Path(exists=True))
@click.argument("candidate_path", metavar="CANDIDATE", type=click.Path(exists=True))
@click.option("--run-per-file", is_flag=True, help="Each file is one launch.")
@click.option("--layout", metavar="TEMPLATE", help="Path template inside each folder.")
@analysis_options
@output_options
def compare(**options: object) -> int:
    """Compare CANDIDATE with BASELINE, each a file or a folder of runs."""
    from specstats.cli._gate import exit_code, parse_fail_on
    from specstats.cli._output import emit, rendered
    from specstats.cli._run import bench_of, summary_of

    paths = (str(options["baseline_path"]), str(options["candidate_path"]))
    names = _names(paths)
    listed, output, layout = options["fail_on"], options["output"], options["layout"]
    conditions = parse_fail_on(listed if isinstance(listed, tuple) else ())
    reading = Reading(
        paths=paths,
        arms=tuple(
            f"{name}={_files(path)}" for name, path in zip(names, paths, strict=True)
        ),
        layout=layout if isinstance(layout, str) else None,
        study=None,
        run_per_file=bool(options["run_per_file"]),
        format_name=None,
    )
    chosen = {**options, "baseline": names[0], "candidate": names[1]}
    study = summary_of(bench_of(reading), chosen)
    target = output if isinstance(output, str) else None
    emit(
        rendered(study, str(options["output_format"]), to_file=target is not None),
        target,
    )
    margin = options["margin"]
    return exit_code(
        study, conditions, margin=margin if isinstance(margin, float) else None
    )


def _names(paths: tuple[str, str]) -> tuple[str, str]:
    first, second = (
        Path(path).absolute().name.split(".", maxsplit=1)[0] or "run" for path in paths
    )
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _files(path: str) -> str:
    place = glob.escape(str(Path(path).absolute()))
    return f"{place}/**" if Path(path).is_dir() else place
