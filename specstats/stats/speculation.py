"""Counting and modelling of speculative decoding with a chain of drafted tokens."""

from __future__ import annotations


def expected_tokens(acceptance: float, draft_length: int, /) -> float:
    """Tokens per verify step if each tested token is accepted independently.

    Parameters
    ----------
    acceptance : float
        Chance that a tested draft token is accepted, 0 to 1.
    draft_length : int
        Tokens drafted per step.

    Returns
    -------
    float
        (1 - a^(k+1)) / (1 - a), the bonus token counted; k + 1 at a = 1.

    Notes
    -----
    A model, not an estimator: on real texts acceptance clusters, and the counted
    tokens per step fall short of it by up to 8 %. Source: Leviathan, Kalman and
    Matias (2023), equation 1.
    """
    _check_chain(acceptance, draft_length)
    # The sum of powers needs no limit at a = 1.
    return sum(acceptance**place for place in range(draft_length + 1))


def expected_gain(acceptance: float, draft_length: int, cost_ratio: float, /) -> float:
    """Wall-time gain under the independence model, verification as one step.

    Parameters
    ----------
    acceptance : float
        Chance that a tested draft token is accepted, 0 to 1.
    draft_length : int
        Tokens drafted per step.
    cost_ratio : float
        Time of one draft forward pass over that of one target forward pass.

    Returns
    -------
    float
        Expected tokens per step over (k c + 1).

    Notes
    -----
    Assumes that verifying k + 1 positions costs as much as one, which fails at large
    batches. Misses measured gains by -32 % to +29 % in its own paper. Source:
    Leviathan, Kalman and Matias (2023), theorem 3.8.
    """
    if cost_ratio < 0.0:
        msg = f"expected a cost ratio of zero or more, got {cost_ratio!r}"
        raise ValueError(msg)
    tokens = expected_tokens(acceptance, draft_length)
    return tokens / (draft_length * cost_ratio + 1.0)


def acceptance_from_rate(rate: float, draft_length: int, /) -> float:
    """Per-token acceptance that gives a reported accepted-over-drafted rate.

    Parameters
    ----------
    rate : float
        Accepted over drafted tokens at a fixed draft length, 0 to 1.
    draft_length : int
        Tokens drafted in every step, at least one.

    Returns
    -------
    float
        The a with (expected_tokens(a, k) - 1) / k = rate.

    Notes
    -----
    The rate is below a for k > 1, because tokens after a rejection are drafted but
    never tested. Inverts the independence model of :func:`expected_tokens`.
    """
    _check_chain(rate, draft_length)
    if draft_length < 1:
        msg = f"expected a draft length of one or more, got {draft_length}"
        raise ValueError(msg)

    def excess(acceptance: float) -> float:
        return (expected_tokens(acceptance, draft_length) - 1.0) / draft_length - rate

    from scipy import optimize

    return float(optimize.bisect(excess, 0.0, 1.0, xtol=1e-12))


def decode_steps(
    n_output: int, n_accepted: int, /, *, first_tokens: int = 1, discarded: int = 0
) -> int | None:
    """Target forward passes in decode, recovered from token counts.

    Parameters
    ----------
    n_output : int
        Tokens emitted.
    n_accepted : int
        Draft tokens accepted.
    first_tokens : int
        Emitted tokens that came from prefill: one a request in llama.cpp, zero where
        the producer does not count it.
    discarded : int
        Accepted tokens thrown away past the end of the request.

    Returns
    -------
    int or None
        n_output - first_tokens - n_accepted + discarded; None where that is negative:
        the counts then follow another convention.
    """
    steps = n_output - first_tokens - n_accepted + discarded
    return steps if steps >= 0 else None


def tokens_per_step(n_accepted: float, steps: float, /) -> float | None:
    """Count tokens per verify step, the bonus token included.

    Parameters
    ----------
    n_accepted : float
        Draft tokens accepted.
    steps : float
        Verify steps.

    Returns
    -------
    float or None
        1 + accepted / steps; None without a step.
    """
    if n_accepted < 0 or steps < 0:
        msg = f"expected counts of zero or more, got {n_accepted!r} and {steps!r}"
        raise ValueError(msg)
    return 1.0 + n_accepted / steps if steps else None


def draft_length_feasible(n_drafted: int, steps: int, draft_length: int, /) -> bool:
    """Tell whether counts fit a fixed draft length, clipped near the token limit.

    Parameters
    ----------
    n_drafted : int
        Tokens drafted in one request.
    steps : int
        Verify steps of the request.
    draft_length : int
        Fixed draft length k to be tested.

    Returns
    -------
    bool
        0 <= k steps - drafted <= k (k + 1) / 2; the right side is what llama.cpp can
        save by drafting no further than the tokens that remain.
    """
    saved = draft_length * steps - n_drafted
    return 0 <= saved <= draft_length * (draft_length + 1) // 2


def _check_chain(share: float, draft_length: int) -> None:
    if not 0.0 <= share <= 1.0 or draft_length < 0:
        msg = f"expected a share and a length, got {share!r} and {draft_length!r}"
        raise ValueError(msg)
