"""The block-style YAML that benchmark reports use; anything else is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from specstats.errors import MalformedArtifactError
from specstats.readers._json import BadEntry, decoded, text
from specstats.readers._text import real_in

if TYPE_CHECKING:
    from specstats.source import Source

__all__ = ["read_yaml"]

_MAX_DEPTH = 60
_MAX_LINES = 1_000_000
_SHOWN = 80
_KEY = re.compile(
    r"""(?P<key>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'\[\]{}&*!|>%@`#,?-][^\n]*?"""
    r"""|-[^\s][^\n]*?):(?:\s+(?P<rest>.*)|\s*)\Z"""
)
_COMMENT = re.compile(r"(?:\A|\s)#.*\Z")
_BLOCK = re.compile(r"[|>][-+]?")
_INTEGER = re.compile(r"[-+]?(?:0|[1-9]\d{0,17})", re.ASCII)
_OCTAL = re.compile(r"[-+]?0\d+", re.ASCII)  # other readers disagree: stays text
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"\s*(?:#.*)?', re.DOTALL)
_SINGLE = re.compile(r"'((?:[^']|'')*)'\s*(?:#.*)?")
_DOUBLE_END = re.compile(r'(?:[^"\\]|\\.)*"\s*(?:#.*)?')
_SINGLE_END = re.compile(r"(?:[^']|'')*'\s*(?:#.*)?")
_ESCAPED_END = re.compile(r"(?<!\\)(?:\\\\)*\\\Z")
_ESCAPE = re.compile(r"\\(x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|.?)")
_ESCAPES = {
    "0": "\0",
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    " ": " ",
    '"': '"',
    "/": "/",
    "\\": "\\",
    "N": "\x85",
    "_": "\xa0",
    "L": "\u2028",
    "P": "\u2029",
}
_LAST_CHARACTER = 0x10FFFF
_WORDS = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", "+.inf", "-.inf", ".nan", ".NaN"), None),
}
_NOT_READ = "&*!?%@`|>"


def read_yaml(source: Source) -> object:
    """Read one document.

    Block mappings and sequences, plain, quoted and literal scalars, and flow values
    that are JSON on one line. Tags, anchors, aliases, complex keys, other flow
    values and further documents are refused with their line.

    Parameters
    ----------
    source : Source
        The artifact.

    Returns
    -------
    object
        Dicts, lists and scalars; infinity and NaN are None.

    Raises
    ------
    MalformedArtifactError
        If it is not written in that subset.
    """
    lines = source.document().decode("utf-8", "replace").splitlines()
    parser = _Parser(lines, source.name)
    if len(lines) > _MAX_LINES:
        parser.refuse("more lines than a report has")
    return parser.document()


class _Parser:
    """Reads from the top; `_at` is the next line that nothing has used."""

    __slots__ = ("_at", "_lines", "_name")

    def __init__(self, lines: list[str], name: str) -> None:
        self._lines, self._name, self._at = lines, name, 0

    def refuse(self, why: str) -> NoReturn:
        line = min(self._at, max(len(self._lines) - 1, 0)) + 1
        raise MalformedArtifactError(
            f"not the YAML of a benchmark report: {why}",
            source=self._name,
            location=str(line),
        )

    def document(self) -> object:
        indent = self._next()
        if indent == 0 and self._lines[self._at].rstrip() == "---":
            self._at += 1
            indent = self._next()
        value = None if indent is None else self._node(indent, 0)
        if self._next() is not None:
            self.refuse("content after the document, or indentation that fits nothing")
        return value

    def _next(self) -> int | None:
        """Skip blank and comment lines; return the indentation of the next one."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            content = line.lstrip(" ")
            if content.strip() and not content.startswith("#"):
                if content.startswith("\t"):
                    self.refuse("a tab in the indentation")
                return len(line) - len(content)
            self._at += 1
        return None

    def _content(self, indent: int) -> str:
        return self._lines[self._at][indent:].rstrip()

    def _node(self, indent: int, depth: int) -> object:
        if depth > _MAX_DEPTH:
            self.refuse(f"more than {_MAX_DEPTH} levels")
        content = self._content(indent)
        if _is_item(content):
            return self._sequence(indent, depth)
        if _KEY.match(content):
            return self._mapping(indent, depth)
        return self._scalar(content, indent - 1)

    def _mapping(self, indent: int, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        while self._next() == indent:
            content = self._content(indent)
            matched = None if _is_item(content) else _KEY.match(content)
            if matched is None:
                self.refuse("neither a key nor an item")
            key = self._plain_key(matched["key"])
            if key in found:
                self.refuse(f"the key {key[:_SHOWN]!r} stands twice")
            found[key] = self._value(matched["rest"] or "", indent, depth)
        return found

    def _plain_key(self, key: str) -> str:
        if key[:1] in "\"'":
            return str(self._quoted(key))
        if ": " in key or " #" in key:
            self.refuse("a key that is not one")
        return key.strip()

    def _value(self, rest: str, indent: int, depth: int) -> object:
        if _COMMENT.sub("", rest).strip():
            return self._scalar(rest, indent)
        self._at += 1
        below = self._next()
        if below is None or below < indent:
            return None
        if below > indent or _is_item(self._content(below)):
            return self._node(below, depth + 1)
        return None

    def _sequence(self, indent: int, depth: int) -> list[object]:
        found: list[object] = []
        while self._next() == indent and _is_item(content := self._content(indent)):
            rest = content[1:].lstrip(" ")
            inner = indent + len(content) - len(rest)
            if rest and (_is_item(rest) or _KEY.match(rest)):
                self._lines[self._at] = " " * inner + rest
                found.append(self._node(inner, depth + 1))
            elif _COMMENT.sub("", rest).strip():
                found.append(self._scalar(rest, indent))
            else:
                self._at += 1
                below = self._next()
                nested = below is not None and below > indent
                found.append(self._node(below or 0, depth + 1) if nested else None)
        return found

    def _scalar(self, rest: str, indent: int) -> object:
        """Read the scalar that begins on this line, and use its lines up."""
        first = rest[:1]
        if _BLOCK.fullmatch(_COMMENT.sub("", rest).strip()):
            return self._block("\n" if rest[0] == "|" else " ", indent)
        if first in _NOT_READ:
            self.refuse("tags, anchors, aliases and complex keys are not read")
        if first in "\"'":
            ends = _DOUBLE_END if first == '"' else _SINGLE_END
            return self._quoted(self._closed(rest, indent, ends))
        if first in "[{":
            value = decoded(_COMMENT.sub("", rest).strip().encode())
            if isinstance(value, BadEntry):
                self.refuse("a flow value that is not JSON on one line")
            self._at += 1
            return value
        plain = self._plain(rest, indent)
        if ": " in plain or plain.endswith(":"):
            self.refuse("a colon in a plain value")
        return _resolved(plain)

    def _plain(self, rest: str, indent: int) -> str:
        """Join the lines of a plain scalar, which go on further to the right."""
        parts = [_COMMENT.sub("", rest).strip()]
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            content = line.strip()
            if not content or content[0] == "#" or _indent(line) <= indent:
                break
            if _is_item(content) or _KEY.match(content):
                self.refuse("indentation that fits nothing")
            parts.append(_COMMENT.sub("", content).strip())
            self._at += 1
        return " ".join(parts)

    def _closed(self, rest: str, indent: int, ends: re.Pattern[str]) -> str:
        """Join the lines of a quoted scalar up to the one that closes it."""
        parts = [rest.strip()]
        self._at += 1
        done = ends.fullmatch(parts[0], 1) is not None
        while not done and self._at < len(self._lines):
            line = self._lines[self._at]
            content = line.strip()
            if content and _indent(line) <= indent:
                break
            parts.append(content)
            self._at += 1
            done = ends.fullmatch(content) is not None
        return _folded(parts)

    def _quoted(self, content: str) -> str:
        single = _SINGLE.fullmatch(content)
        if single:
            return single[1].replace("''", "'")
        double = _DOUBLE.fullmatch(content)
        if double is None:
            self._at -= 1
            self.refuse("a quoted value that does not end")
        if "\\" not in double[1]:
            return double[1]
        return _ESCAPE.sub(self._escape, double[1])

    def _escape(self, found: re.Match[str]) -> str:
        plain = _ESCAPES.get(found[1][:1])
        if plain is not None:
            return plain
        code = found[2] or found[3] or found[4]
        if not code or int(code, 16) > _LAST_CHARACTER:
            self._at -= 1
            self.refuse("an unknown escape in a quoted value")
        return text(chr(int(code, 16))) or ""

    def _block(self, mark: str, indent: int) -> str:
        parts: list[str] = []
        self._at += 1
        left = None
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.strip():
                if _indent(line) <= indent:
                    break
                left = _indent(line) if left is None else left
            parts.append(line[left or 0 :].rstrip())
            self._at += 1
        return mark.join(parts).rstrip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_item(content: str) -> bool:
    return content == "-" or content.startswith("- ")


def _folded(parts: list[str]) -> str:
    """Join lines as YAML folds them: a blank line is a line break."""
    joined, breaks = parts[:1], 0
    for part in parts[1:]:
        if not part:
            breaks += 1
            continue
        if breaks:
            joined.append("\n" * breaks + part)
        elif _ESCAPED_END.search(joined[-1]):
            joined[-1] = joined[-1][:-1]
            joined.append(part)
        else:
            joined.append(f" {part}")
        breaks = 0
    return "".join(joined)


def _resolved(plain: str) -> object:
    if plain in _WORDS:
        return _WORDS[plain]
    if _INTEGER.fullmatch(plain):
        return int(plain)
    real = None if _OCTAL.fullmatch(plain) else real_in(plain)
    return plain if real is None else real
