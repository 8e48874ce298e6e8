"""Typed access to decoded TOML, with errors that name the key."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from specstats.errors import DesignError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Checked"]

_PAIR = 2
_SHOWN = 80
_BITS = 63


def _is_huge(value: object) -> bool:
    """Whether a number is a whole one that tables cannot hold."""
    return isinstance(value, int) and value.bit_length() > _BITS


class Checked:
    """A TOML table whose values are checked when they are taken.

    Attributes
    ----------
    where : str
        File and table, for messages.
    """

    __slots__ = ("_values", "where")

    def __init__(self, values: Mapping[str, object], where: str) -> None:
        self._values = values
        self.where = where

    def only(self, *names: str) -> None:
        """Refuse keys that are not among the names."""
        for key in self._values:
            if key not in names:
                raise DesignError.unknown(f"{self.where}: key", key, names)

    def _wrong(self, key: str, expected: str) -> DesignError:
        try:
            shown = repr(self._values[key])[:_SHOWN]
        except (ValueError, RecursionError):  # a number of thousands of digits
            shown = "..."
        return DesignError(f"{self.where}: {key} = {shown}. Expected {expected}")

    def text(self, key: str) -> str | None:
        """Return a string; numbers and dates are taken as written."""
        value = self._values.get(key)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, bool | list | dict) or _is_huge(value):
            raise self._wrong(key, "a string")
        return str(value)

    def required(self, key: str) -> str:
        """Return a string that must be there."""
        value = self.text(key)
        if not value:
            raise DesignError(f"{self.where}: {key} is missing. Expected a string")
        return value

    def number(self, key: str) -> float | None:
        """Return a number."""
        value = self._values.get(key)
        if value is None:
            return None
        plain = not isinstance(value, bool) and not _is_huge(value)
        if plain and isinstance(value, int | float) and math.isfinite(value):
            return float(value)
        raise self._wrong(key, "a number")

    def count(self, key: str) -> int | None:
        """Return a whole number that is not negative."""
        value = self._values.get(key)
        if value is None:
            return None
        plain = not isinstance(value, bool) and not _is_huge(value)
        if plain and isinstance(value, int) and value >= 0:
            return value
        raise self._wrong(key, "a whole number, 0 or more")

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings."""
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(
            isinstance(item, str) for item in value
        ):
            raise self._wrong(key, "a list of strings")
        return tuple(value)

    def some_texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings that must be there and not be empty."""
        values = self.texts(key)
        if not values:
            raise DesignError(
                f"{self.where}: {key} is missing. Expected a list of strings"
            )
        return values

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """Return a list of pairs of strings."""
        value = self._values.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list of pairs of arms")
        for item in value:
            if not (
                isinstance(item, list)
                and len(item) == _PAIR
                and all(isinstance(name, str) for name in item)
            ):
                raise self._wrong(key, "a list of pairs of arms")
        return tuple((str(first), str(second)) for first, second in value)

    def table(self, key: str) -> Checked:
        """Return a table; an absent one is empty."""
        value = self._values.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, "a table")
        return Checked(value, f"{self.where} [{key}]")

    def tables(self, key: str) -> list[Checked]:
        """Return an array of tables."""
        value = self._values.get(key, [])
        if not isinstance(value, list) or not all(
            isinstance(item, dict) for item in value
        ):
            raise self._wrong(key, "an array of tables")
        return [
            Checked(item, f"{self.where} [[{key}]] {number}")
            for number, item in enumerate(value, start=1)
        ]

    def scalars(self) -> dict[str, object]:
        """Return all values; nested ones are refused."""
        for key, value in self._values.items():
            if isinstance(value, list | dict):
                raise self._wrong(key, "a string, number or boolean")
            if _is_huge(value) or (
                isinstance(value, float) and not math.isfinite(value)
            ):
                raise self._wrong(key, "a string, finite number or boolean")
        return {
            key: value if isinstance(value, bool | int | float | str) else str(value)
            for key, value in self._values.items()
        }
