"""``specstats plan``: how many launches a study needs, and in which order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specstats.cli._options import reading_options
from specstats.cli._reading import reading_of
from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Callable

    from specstats.analysis.options import ReferenceSpread
    from specstats.design.schedule import Schedule, ScheduleDesign
    from specstats.render.grid import Grid
    from specstats.results import Plan, StudySummary

__all__ = ["plan"]

Command = TypeVar("Command", bound="Callable[..., Any]")

_REFUSED, _NOT_ENOUGH = 4, 3
_READABLE = 1000.0  # where three decimals stop helping
_OPTIONS = (
    click.option(
        "--sd",
        metavar="SD:DF|FILE",
        help="SD of log run values and its degrees of freedom, instead of PATHS; a "
        "JSON report may be named.",
    ),
    click.option("--effect", type=float, metavar="RATIO", help="Ratio to detect."),
    click.option(
        "--half-width",
        type=float,
        metavar="DELTA",
        help="Relative half-width wanted of the interval: 0.02.",
    ),
    click.option(
        "--runs", type=int, metavar="N", help="What would N launches of each arm show?"
    ),
    click.option(
        "--power",
        type=float,
        default=0.8,
        show_default=True,
        metavar="P",
        help="Chance of a verdict when the ratio is RATIO.",
    ),
    click.option(
        "--confidence-level",
        type=float,
        default=0.95,
        show_default=True,
        metavar="LEVEL",
        help="Level of the interval.",
    ),
    click.option(
        "--blocks", is_flag=True, help="Blocks of one launch of each arm are planned."
    ),
    click.option(
        "--launch-cost",
        type=float,
        metavar="COST",
        help="Cost of a launch, without its requests if --request-cost is given.",
    ),
    click.option(
        "--request-cost",
        type=float,
        metavar="COST",
        help="Cost of a request in the same unit; plans the requests of a launch.",
    ),
    click.option(
        "--arms",
        "arm_names",
        metavar="A,B,...",
        help="Arms of the study, the baseline first; two by default.",
    ),
    click.option(
        "--schedule",
        "schedule_file",
        metavar="FILE",
        help="Write the order of launches there, as a study.toml; needs --arms.",
    ),
    click.option(
        "--order",
        "schedule_design",
        type=click.Choice(["abba", "randomised blocks", "alternating"]),
        default="abba",
        show_default=True,
        help="How that order is made.",
    ),
    click.option("--seed", type=int, metavar="N", help="Seed of that order."),
    click.option("--metric", default="decode_rate", show_default=True, metavar="NAME",
                 help="Metric of the pilot to plan for."),
    click.option("--baseline", metavar="ARM", help="Baseline of the pilot."),
    click.option("--block", metavar="FIELD", help="Where its blocks come from."),
    click.option("--warmup", type=click.IntRange(0), metavar="N",
                 help="First requests of each launch of the pilot to leave out."),
    click.option("--ignore", multiple=True, metavar="KEY",
                 help="Setting that may vary in the pilot. Repeatable."),
    click.option(
        "--format",
        "output_format",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="Form of the answer.",
    ),
)  # fmt: skip


def _own_options(command: Command) -> Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.command(short_help="Say how many launches a study needs, and in which order.")
@reading_options
@_own_options
def plan(**options: object) -> int:
    """Say how many launches of each arm a study needs, from launches made before.

    PATHS hold the pilot: some launches of a setting; or give --sd. One of --effect,
    --half-width and --runs says what for. Exit codes: 0 planned; 2 nothing readable or
    usage; 3 more launches needed than 1000; 4 the pilot tells no spread.
    """
    import specstats

    names = _names(options["arm_names"])
    place = _schedule_place(options["schedule_file"], names)
    found = specstats.plan(
        _pilot(options),
        effect=_number(options["effect"]),
        half_width=_number(options["half_width"]),
        runs=_count(options["runs"]),
        power=float(str(options["power"])),
        confidence_level=float(str(options["confidence_level"])),
        launch_cost=_number(options["launch_cost"]),
        request_cost=_number(options["request_cost"]),
        blocks=bool(options["blocks"]),
        n_arms=len(names) or 2,
        metric=str(options["metric"]),
    )
    drawn = None
    if place is not None and found.runs_per_arm is not None:
        from specstats.cli._output import write_atomically

        drawn = _drawn(names, found, options)
        write_atomically(place, drawn.to_toml())
    if options["output_format"] == "json":
        content = found.to_dict()
        content["schedule"] = None if drawn is None else _schedule_json(drawn)
        click.echo(json.dumps(content, indent=2, allow_nan=False, ensure_ascii=False))
    else:
        click.echo(_text(found, drawn), nl=False)
    if found.ok:
        return 0
    return _REFUSED if found.findings else _NOT_ENOUGH


def _pilot(options: dict[str, object]) -> StudySummary | ReferenceSpread:
    from specstats.cli._run import bench_of, reference_of, summary_of

    sd, reading = options["sd"], reading_of(options)
    if isinstance(sd, str):
        if reading.paths or reading.study or reading.arms:
            raise DesignError("PATHS and --sd given. Expected one of them")
        given = reference_of(sd)
        if given is not None:
            return given
    if not (reading.paths or reading.study or reading.arms):
        raise DesignError("no pilot. Expected PATHS or --sd SD:DF, such as 0.03:9")
    # Not of the pilot: the arms and the seed of the study that is planned.
    kept = ("baseline", "block", "warmup", "ignore")
    chosen = {key: options[key] for key in kept}
    return summary_of(bench_of(reading), {**chosen, "metrics": (options["metric"],)})


def _names(text: object) -> tuple[str, ...]:
    if not isinstance(text, str):
        return ()
    names = tuple(name.strip() for name in text.split(","))
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):  # noqa: PLR2004
        raise DesignError(
            f"--arms {text!r}: expected two different names or more with commas "
            "between, the baseline first"
        )
    return names


def _schedule_place(value: object, names: tuple[str, ...]) -> Path | None:
    if not isinstance(value, str):
        return None
    if not names:
        raise DesignError("--schedule: needs --arms A,B,... to say what is launched")
    path = Path(value)
    if path.exists() or not path.absolute().parent.is_dir():
        what = "exists" if path.exists() else "is in a folder that does not exist"
        raise DesignError(f"--schedule {value!r} {what}. Expected a new file")
    return path


def _drawn(names: tuple[str, ...], found: Plan, options: dict[str, object]) -> Schedule:
    from specstats.design.schedule import schedule

    design: ScheduleDesign = str(options["schedule_design"])  # type: ignore[assignment]
    return schedule(
        names,
        runs=found.require().runs_per_arm or 0,
        design=design,
        seed=_count(options["seed"]),
        blocks=found.blocked,
    )


def _schedule_json(drawn: Schedule) -> dict[str, object]:
    return {
        "design": drawn.design,
        "seed": drawn.seed,
        "runs": [
            {"order": run.order, "run": run.run, "arm": run.arm, "block": run.block}
            for run in drawn.runs
        ],
    }


def _text(found: Plan, drawn: Schedule | None) -> str:
    from specstats.render.text import grid_text, paragraph_text

    parts = [paragraph_text(found.sentence, width=80)]
    if found.sizes:
        parts.append(grid_text(_grid(found), width=80))
        listed = "\n".join(
            paragraph_text(text, width=80, indent="  ", first="- ")
            for text in found.assumptions
        )
        parts.append(f"Assumed\n{listed}")
    if drawn is not None:
        parts.append(
            paragraph_text(
                f"Order ({drawn.design}, seed {drawn.seed}): {drawn}",
                width=80,
                indent="  ",
            )
        )
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def _grid(found: Plan) -> Grid:
    from specstats.render.grid import Column, Grid

    titles = (
        "blocks" if found.blocked else "launches per arm",
        "detectable ratio",
        "at the pilot's SD",
        "interval x/",
        "cost",
    )
    rows = tuple(
        (
            f"{'* ' if item is found.size else ''}{item.runs_per_arm}",
            _ratio(item.detectable_ratio),
            _ratio(item.detectable_ratio_at_pilot_sd),
            _ratio(1.0 + item.half_width),
            "" if item.cost is None else f"{item.cost:.4g}",
        )
        for item in found.sizes
    )
    columns = tuple(Column(title, "right") for title in titles)
    return Grid(columns, rows).without_empty_columns()


def _ratio(value: float) -> str:
    return f"{value:.3f}" if value < _READABLE else f"{value:.3g}"


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) else None
