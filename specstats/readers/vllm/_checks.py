"""What must hold between the fields of one benchmark result."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from specstats.readers._json import number, whole
from specstats.readers._results import items, positive
from specstats.readers.vllm._result import failed_requests, is_measured

if TYPE_CHECKING:
    from collections.abc import Mapping

    from specstats.readers._base import Batch, Trouble

__all__ = ["Checker", "Drafts", "drafts_of"]

_TOLERANCE = 0.005
_STEP_TOLERANCE = 0.05  # means of two kinds are compared
_FEWEST = 8
_EXACT = 1e-6
_NAMES = ("ttft", "tpot", "itl", "e2el")


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafts:
    """What a load says of drafting, and how precisely.

    Attributes
    ----------
    drafts, drafted, accepted : int or None
        Counts.
    rate : float or None
        Printed acceptance, as a fraction.
    length : float or None
        Printed accepted length, bonus token included.
    positions : sequence of float
        Printed acceptance by position, as fractions.
    rate_digit, length_digit : float
        Half of the last printed digit.
    """

    drafts: int | None = None
    drafted: int | None = None
    accepted: int | None = None
    rate: float | None = None
    length: float | None = None
    positions: tuple[float, ...] = ()
    rate_digit: float = _EXACT
    length_digit: float = _EXACT


@dataclass(frozen=True, slots=True)
class Checker:
    """Compares fields of an entry, and notes contradictions.

    Attributes
    ----------
    batch : Batch
        Where findings go.
    trouble : Trouble
        Collects them.
    line : int
        Line of the entry.
    """

    batch: Batch
    trouble: Trouble
    line: int

    def compare(self, what: str, got: float, want: float, slack: float) -> None:
        """Note a contradiction beyond the slack.

        Parameters
        ----------
        what : str
            What was compared.
        got, want : float
            Two values of one thing.
        slack : float
            Largest difference that rounding explains.
        """
        if abs(got - want) > slack:
            self.trouble.note(
                *(self.batch, "SPS006", self.line, what),
                observed=f"{got:.6g}",
                required=f"{want:.6g}",
            )

    def failures(self, entry: Mapping[str, object]) -> None:
        """Note failed requests, and loads of which nothing was answered.

        Parameters
        ----------
        entry : mapping
            The result.
        """
        failed, completed = failed_requests(entry), whole(entry.get("completed"))
        if failed:
            total = failed + (completed or 0)
            self.trouble.note(
                *(self.batch, "SPS007", self.line),
                f"{failed} of {total} requests failed",
                observed=f"{completed or 0} completed",
                required="all requests answered",
                remedy="look into the log of the server before using this load",
            )
        if not is_measured(entry):
            self.trouble.note(
                *(self.batch, "SPS007", self.line),
                "no request was answered with a token: the printed zeros are no times",
                observed=f"{completed or 0} completed, 0 output tokens",
                required="an answer",
            )

    def rates(self, entry: Mapping[str, object], *, digit: float = 0.0) -> None:
        """Compare rates times the duration with what was counted.

        Parameters
        ----------
        entry : mapping
            The result.
        digit : float
            Half of the last digit of rates and duration.
        """
        seconds = positive(entry.get("duration"))
        if seconds is None or not is_measured(entry):
            return
        prompt = whole(entry.get("total_input_tokens")) or 0
        output = whole(entry.get("total_output_tokens")) or 0
        counted = {
            "request_throughput": whole(entry.get("completed")),
            "input_throughput": prompt,
            "output_throughput": output,
            "total_token_throughput": prompt + output if prompt and output else None,
        }
        for key, count in counted.items():
            rate = positive(entry.get(key))
            if rate and count:
                self.compare(
                    f"{key} times duration is not what was counted",
                    *(rate * seconds, float(count)),
                    _TOLERANCE * count + digit * (rate + seconds),
                )
        for name in _NAMES:
            self._order(entry, name)

    def _order(self, entry: Mapping[str, object], name: str) -> None:
        middle = positive(entry.get(f"median_{name}_ms"))
        tail = positive(entry.get(f"p99_{name}_ms"))
        if middle and tail and tail < middle * (1 - _EXACT):
            self.compare(f"p99_{name} is below the median", tail, middle, 0.0)

    def drafts(self, told: Drafts) -> None:
        """Compare printed ratios with the counts they come from.

        Parameters
        ----------
        told : Drafts
            What the load says of drafting.
        """
        drafts, drafted, accepted = told.drafts, told.drafted, told.accepted
        if accepted is None:
            return
        if drafted and accepted > drafted:
            self.compare("more accepted than drafted", accepted, drafted, 0.0)
        elif drafted and told.rate is not None:
            self.compare(
                "the printed acceptance rate is not accepted over drafted tokens",
                *(told.rate, accepted / drafted, told.rate_digit),
            )
        if not drafts:
            return
        if told.length is not None:
            self.compare(
                "the printed acceptance length is not 1 + accepted / drafts",
                *(told.length, 1 + accepted / drafts, told.length_digit),
            )
        if told.positions:
            self.compare(
                "acceptance by position does not sum to the accepted tokens",
                *(math.fsum(told.positions) * drafts, float(accepted)),
                0.5 + told.rate_digit * drafts * len(told.positions),
            )

    def traffic(self, entry: Mapping[str, object], told: Drafts) -> None:
        """Compare what the server counted with what the client received.

        Parameters
        ----------
        entry : mapping
            The result.
        told : Drafts
            What it says of drafting.
        """
        output = whole(entry.get("total_output_tokens"))
        completed = whole(entry.get("completed")) or 0
        if not (output and told.drafts and told.accepted is not None):
            return
        emitted = told.drafts + told.accepted
        if emitted > output * (1 + _STEP_TOLERANCE):
            self.compare(
                "the server counted more tokens of verified steps than the load got: "
                "other traffic is in the draft counts",
                *(float(emitted), float(output), 0.0),
            )
        equal = completed >= _FEWEST and output % completed == 0
        itl = positive(entry.get("mean_itl_ms"))
        tpot = positive(entry.get("mean_tpot_ms"))
        every_step = emitted + completed >= output
        if equal and every_step and told.length and itl and tpot:
            self.compare(
                "mean ITL over mean TPOT, the tokens of a chunk, is not the printed "
                "acceptance length although all answers are equally long",
                *(itl / tpot, told.length, _STEP_TOLERANCE * told.length),
            )


def drafts_of(entry: Mapping[str, object]) -> Drafts:
    """Return what a JSON result says of drafting."""
    percent = number(entry.get("spec_decode_acceptance_rate"))
    shares = items(entry.get("spec_decode_per_position_acceptance_rates"))
    known = [
        share
        for item in shares
        if (share := number(item)) is not None and 0 <= share <= 1
    ]
    return Drafts(
        drafts=whole(entry.get("spec_decode_num_drafts")),
        drafted=whole(entry.get("spec_decode_draft_tokens")),
        accepted=whole(entry.get("spec_decode_accepted_tokens")),
        rate=None if percent is None else percent / 100,
        length=positive(entry.get("spec_decode_acceptance_length")),
        positions=tuple(known) if len(known) == len(shares) else (),
    )
