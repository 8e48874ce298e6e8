"""Sandwich errors by run against R's clubSandwich 0.5.8 and sandwich 3.0."""

import numpy as np
import pytest

from specstats.stats.cluster_robust import (
    RobustKind,
    cluster_robust,
    cluster_robust_mean,
    cluster_robust_totals,
)

# Unbalanced requests of six runs, tokens a second; the last three are the candidate's.
RUNS = [
    [20.1, 20.4, 19.9],
    [24.8, 25.1, 25.0, 24.6],
    [18.2, 18.0],
    [27.3, 27.0, 27.6, 27.1],
    [22.4, 22.9, 22.6],
    [25.5, 25.8, 25.2, 25.6, 25.9],
]
DYESTUFF = [
    *(1545, 1440, 1440, 1520, 1580, 1540, 1555, 1490, 1560, 1495),
    *(1595, 1550, 1605, 1510, 1560, 1445, 1440, 1595, 1465, 1545),
    *(1595, 1630, 1515, 1635, 1625, 1520, 1455, 1450, 1480, 1445),
]
# Weil (1970): pups alive and born in each litter, control and treated.
ALIVE = [13, 12, 9, 9, 8, 8, 12, 11, 9, 9, 8, 11, 4, 5, 7, 7]
ALIVE += [12, 11, 10, 9, 10, 9, 9, 8, 8, 4, 7, 4, 5, 3, 3, 0]
BORN = [13, 12, 9, 9, 8, 8, 13, 12, 10, 10, 9, 13, 5, 7, 10, 10]
BORN += [12, 11, 10, 9, 11, 10, 10, 9, 9, 5, 9, 7, 10, 6, 10, 7]


@pytest.mark.parametrize(
    ("kind", "std_error", "df", "p_value"),
    [
        ("CR0", 0.0861983, 3.798288, 0.1409744),
        ("CR1", 0.0944255, 3.798288, 0.1694128),
        ("CR1S", 0.0968786, 3.798288, 0.1779484),
        ("CR2", 0.1089288, 3.6567164, 0.2224525),
        ("CR3", 0.1390206, 3.4830811, 0.3228596),
    ],
)
def test_unbalanced_requests(
    kind: RobustKind, std_error: float, df: float, p_value: float
) -> None:
    rows = np.log(np.concatenate(RUNS))
    runs = np.repeat(np.arange(6), [len(run) for run in RUNS])
    found = cluster_robust(rows, runs.tolist(), runs >= 3, kind=kind)
    assert found.estimate == pytest.approx(0.1599015, abs=5e-8)
    assert found.std_error == pytest.approx(std_error, abs=5e-8)
    assert found.df == pytest.approx(df, abs=5e-7)
    assert found.p_value() == pytest.approx(p_value, abs=5e-8)
    if kind == "CR2":
        assert found.interval() == pytest.approx((-0.1540664, 0.4738693), abs=5e-8)


@pytest.mark.parametrize(
    ("kind", "std_error"),
    [
        ("CR0", 17.69455346),
        ("CR1", 19.38341215),
        ("CR2", 19.38341215),
        ("CR3", 21.23346415),
    ],
)
def test_dyestuff(kind: RobustKind, std_error: float) -> None:
    batches = np.repeat(np.arange(6), 5).tolist()
    found = cluster_robust_mean(DYESTUFF, batches, kind=kind)
    assert found.estimate == 1527.5
    assert found.std_error == pytest.approx(std_error, abs=1e-8)
    assert found.df == pytest.approx(5.0, abs=1e-9)


def test_litters() -> None:
    treated = np.arange(32) >= 16
    plain = cluster_robust_totals(ALIVE, BORN, treated, kind="CR1")
    assert plain.estimate == pytest.approx(-0.1263204, abs=5e-8)
    assert plain.std_error == pytest.approx(0.0729705, abs=5e-8)
    assert plain.df == pytest.approx(28.682, abs=5e-4)
    found = cluster_robust_totals(ALIVE, BORN, treated, kind="CR2")
    assert found.std_error == pytest.approx(0.0741887, abs=5e-8)
    assert found.df == pytest.approx(28.543126, abs=5e-7)
    assert found.p_value() == pytest.approx(0.0994939, abs=5e-8)
