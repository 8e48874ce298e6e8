"""Data sets that come with the package; each folder has a README with its origin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from specstats.bench import read
from specstats.errors import DesignError, SpecstatsError
from specstats.layout.study import MANIFEST_NAME

if TYPE_CHECKING:
    from specstats.bench import Bench

__all__ = ["load", "names", "path"]

_NAMES = ("h200-tinyspec", "pascal-p5200")
_PACKAGE = Path(__file__).resolve().parent
# In a wheel; in a checkout, also one that is installed for editing.
_FOLDERS = (_PACKAGE / "_data", _PACKAGE.parent / "data")


def names() -> tuple[str, ...]:
    """Return the names of the data sets.

    Returns
    -------
    tuple of str
        Names in alphabetical order.

    Examples
    --------
    >>> from specstats import datasets
    >>> datasets.names()
    ('h200-tinyspec', 'pascal-p5200')
    """
    return _NAMES


def path(name: str, /) -> Path:
    """Return the folder of a data set.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Path
        Folder with the artifacts, ``study.toml`` and ``README.md``.

    Raises
    ------
    DesignError
        If there is no data set of that name.
    SpecstatsError
        If the package was installed without its data.

    Examples
    --------
    >>> from specstats import datasets
    >>> datasets.path("pascal-p5200").name
    'pascal-p5200'
    """
    if name not in _NAMES:
        raise DesignError.not_listed("data set", name, _NAMES)
    for folder in _FOLDERS:
        found = folder / name
        if (found / MANIFEST_NAME).is_file():
            return found
    raise SpecstatsError(
        f"the files of data set {name!r} are missing: looked in "
        f"{' and '.join(str(folder) for folder in _FOLDERS)}. Hint: reinstall "
        "specstats from a wheel, or use a complete checkout"
    )


def load(name: str, /) -> Bench:
    """Read a data set.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Bench
        What `specstats.read` makes of its folder.

    Raises
    ------
    DesignError
        If there is no data set of that name.
    SpecstatsError
        If the package was installed without its data.

    Examples
    --------
    >>> from specstats import datasets
    >>> len(datasets.load("pascal-p5200").runs)
    11
    """
    return read(path(name))
