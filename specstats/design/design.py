"""The design of a study, as the user states it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from specstats.diagnostics import Level
from specstats.errors import DesignError

if TYPE_CHECKING:
    from specstats.bench import Bench

__all__ = ["Design", "is_plain_name"]

_BASELINE_NAMES = frozenset({"baseline", "base", "off", "none", "plain", "target-only"})


# Findings behind which an arm may be missing.
_LOSSES = frozenset({"SPS002", "SPS003", "SPS010"})


def is_plain_name(arm: str) -> bool:
    """Whether the name of an arm says that it runs without what is under test.

    Parameters
    ----------
    arm : str
        Name of the arm.

    Returns
    -------
    bool
        True for baseline, base, off, none, plain and target-only.
    """
    return arm.lower() in _BASELINE_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """What was varied, what is the replicate, what is paired.

    Attributes
    ----------
    baseline : str or None
        Arm that the others are compared with.
    candidate : str or None
        The one arm to compare; all of them by default.
    factor : str or None
        Setting that may differ between the arms; by default all that are constant
        inside each arm.
    unit : {"run", "request", "prompt"}
        Unit of replication; anything below the launch is refused (SPS103).
    block : str or None
        Where blocks come from: ``day``, a setting, or a label for declared blocks.
    controls : tuple of (str, str)
        Pairs of arms that run the same setting under two names.
    warmup : int or None
        First requests of each launch to leave out of timing; None takes the number
        of the manifest, else 0.
    ignore : tuple of str
        Settings that may vary anywhere.
    randomised : bool
        Whether the launch order came from a recorded randomisation.
    seed : int
        Seed of Monte Carlo permutation tests.
    planned_runs : int or None
        Launches of each arm that were planned before the first one (SPS209); None
        takes the number of the manifest.
    """

    baseline: str | None = None
    candidate: str | None = None
    factor: str | None = None
    unit: Literal["run", "request", "prompt"] = "run"
    block: str | None = None
    controls: tuple[tuple[str, str], ...] = ()
    warmup: int | None = None
    ignore: tuple[str, ...] = ()
    randomised: bool = False
    seed: int = 0
    planned_runs: int | None = None

    def resolved(self, bench: Bench) -> Design:
        """Return the design completed from the manifest and the names of the arms.

        Parameters
        ----------
        bench : Bench
            The data.

        Returns
        -------
        Design
            Baseline, controls, warm-up, block and ignore filled in.

        Raises
        ------
        DesignError
            If an arm that it names is not in the data, or no runs were planned.
        """
        design = self._with_manifest(bench)
        if design.planned_runs is not None and design.planned_runs < 1:
            raise DesignError(
                f"planned runs {design.planned_runs!r}: expected the launches of each "
                "arm, 1 or more"
            )
        names = bench.arms
        for role, arm in design._named_arms():  # noqa: SLF001 - own kind
            if arm not in names:
                raise DesignError.unknown(
                    role, arm, names, told=_told_of_reading(bench, arm)
                )
        for first, second in (*design.controls, (design.baseline, design.candidate)):
            if first is not None and first == second:
                raise DesignError(
                    f"arm {first!r} is compared with itself. Expected two arms"
                )
        if design.baseline is None:
            told = [name for name in names if name.lower() in _BASELINE_NAMES]
            if len(told) == 1:
                design = replace(design, baseline=told[0])
        return design

    @property
    def left_out(self) -> int:
        """First requests of each launch that are left out of timing."""
        return self.warmup or 0

    def finds_baseline(self, bench: Bench) -> bool:
        """Whether a baseline is named, or known by its name, among the arms.

        Parameters
        ----------
        bench : Bench
            The data.
        """
        stated = self._with_manifest(bench).baseline
        if stated is not None:
            return stated in bench.arms
        return sum(name.lower() in _BASELINE_NAMES for name in bench.arms) == 1

    def _with_manifest(self, bench: Bench) -> Design:
        study = bench.study
        if study is None:
            return self
        return replace(
            self,
            baseline=self.baseline or study.baseline,
            block=self.block or study.block,
            controls=tuple(dict.fromkeys((*self.controls, *study.controls))),
            warmup=study.warmup if self.warmup is None else self.warmup,
            ignore=tuple(dict.fromkeys((*self.ignore, *study.ignore))),
            randomised=self.randomised or study.order == "randomised",
            planned_runs=study.planned_runs
            if self.planned_runs is None
            else self.planned_runs,
        )

    def _named_arms(self) -> list[tuple[str, str]]:
        named = [("baseline", self.baseline), ("candidate", self.candidate)]
        pairs = [("control", arm) for pair in self.controls for arm in pair]
        return [(role, arm) for role, arm in (*named, *pairs) if arm is not None]

    def control_arms(self, baseline: str) -> tuple[str, ...]:
        """Return the arms declared identical to the baseline.

        Parameters
        ----------
        baseline : str
            The baseline arm.

        Returns
        -------
        tuple of str
            Other arms of its control pairs.
        """
        return tuple(
            second if first == baseline else first
            for first, second in self.controls
            if baseline in (first, second)
        )

    def ignores(self, key: str) -> bool:
        """Whether a setting may vary anywhere.

        Parameters
        ----------
        key : str
            Setting, with its ``cfg.`` or ``id.`` prefix.

        Returns
        -------
        bool
            True when it is ignored or is the factor.
        """
        bare = key.partition(".")[2]
        return key in self.ignore or bare in self.ignore

    def is_factor(self, key: str) -> bool:
        """Whether a setting is the factor.

        Parameters
        ----------
        key : str
            Setting, with its ``cfg.`` or ``id.`` prefix.

        Returns
        -------
        bool
            True when it is named as the factor.
        """
        return self.factor is not None and self.factor in {key, key.partition(".")[2]}


def _told_of_reading(bench: Bench, arm: str) -> str | None:
    """Return what reading said that may explain why an arm is not there."""
    serious = [
        item
        for item in bench.findings
        if item.level in {Level.ERROR, Level.WARNING} and item.code in _LOSSES
    ]
    near = [item for item in serious if any(arm in where for where in item.where)]
    found = (near or serious)[:1]
    return None if not found else f"{found[0].message} [{found[0].code}]"
