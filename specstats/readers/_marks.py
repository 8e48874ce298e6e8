"""Which marks of the readers stand in the first bytes of a file, in one go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from specstats.readers._base import Reader

__all__ = ["Marks"]

_QUOTE = b'"'
# Bytes from rare to frequent in artifacts; a mark is looked for by its rarest.
_FREQUENT = b'zqjxkvwybgfpmcuhdlrsniotae_.-:,0123456789[]{}" \n'


class Marks:
    """The marks of some readers, sorted so that most are ruled out at once.

    A word in quotes is looked up among the pieces between quotes; any other mark is
    looked for only where its rarest byte occurs.
    """

    def __init__(self, readers: Iterable[Reader]) -> None:
        self._always: list[int] = []
        self._quoted: dict[bytes, list[int]] = {}
        self._others: dict[bytes, dict[bytes, list[int]]] = {}
        self._readers = tuple(readers)
        for place, reader in enumerate(self._readers):
            if not reader.marks:
                self._always.append(place)
            for mark in reader.marks:
                self._places(mark).append(place)

    def _places(self, mark: bytes) -> list[int]:
        word = mark[1:-1]
        if mark == _QUOTE + word + _QUOTE and _QUOTE not in word:
            return self._quoted.setdefault(word, [])
        rarest = bytes([min(mark, key=_FREQUENT.find)])
        return self._others.setdefault(rarest, {}).setdefault(mark, [])

    def asked(self, head: bytes) -> list[Reader]:
        """Return the readers that may claim a file, in their order.

        Parameters
        ----------
        head : bytes
            First bytes.

        Returns
        -------
        list of Reader
            Those one of whose marks stands there, and those without marks.
        """
        found = set(self._always)
        # The first and the last piece are not between two quotes.
        for word in self._quoted.keys() & set(head.split(_QUOTE)[1:-1]):
            found.update(self._quoted[word])
        for byte, marks in self._others.items():
            if byte in head:
                for mark, places in marks.items():
                    if mark in head:
                        found.update(places)
        return [self._readers[place] for place in sorted(found)]
