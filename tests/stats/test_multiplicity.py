import pytest
from hypothesis import given
from hypothesis import strategies as st

from specstats.stats.multiplicity import benjamini_hochberg, bonferroni_level, holm

P_VALUES = st.lists(st.none() | st.floats(0, 1), max_size=8)


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert holm([]) == []


def test_missing_comparisons_do_not_count() -> None:
    assert holm([None, 0.01, None, 0.02]) == pytest.approx([None, 0.02, None, 0.02])
    assert benjamini_hochberg([None, 0.02]) == [None, 0.02]


def test_bonferroni_level() -> None:
    assert bonferroni_level(0.95, 1) == 0.95
    assert bonferroni_level(0.95, 5) == pytest.approx(0.99)
    with pytest.raises(ValueError, match="family"):
        bonferroni_level(0.95, 0)


def test_p_values_outside_their_range_are_misuse() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([1.2])


@given(P_VALUES)
def test_adjusted_values_keep_order_and_grow(p_values: list[float | None]) -> None:
    present = [p for p in p_values if p is not None]
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust(p_values)
        assert [p is None for p in adjusted] == [p is None for p in p_values]
        kept = [p for p in adjusted if p is not None]
        for raw, new in zip(present, kept, strict=True):
            assert raw * (1 - 1e-12) <= new <= min(1.0, len(present) * raw + 1e-12)
        pairs = sorted(zip(present, kept, strict=True))
        assert [new for _, new in pairs] == sorted(kept)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_permutation_of_the_family_does_not_matter(p_values: list[float]) -> None:
    backwards = holm(p_values[::-1])
    assert backwards[::-1] == pytest.approx(holm(p_values))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_benjamini_hochberg_is_no_stricter_than_holm(p_values: list[float]) -> None:
    pairs = zip(benjamini_hochberg(p_values), holm(p_values), strict=True)
    for screened, controlled in pairs:
        assert screened is not None
        assert controlled is not None
        assert screened <= controlled + 1e-12
