"""The module map of docs/architecture.md, from the first lines of the modules.

``python -m docs._gen.modules --check`` exits 1 with a diff when the page is old;
``--write`` brings it up to date.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from docs._gen import _marked

__all__ = ["fresh", "module_map", "modules"]

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "architecture.md"
PACKAGE = ROOT / "specstats"


def modules() -> dict[str, str]:
    """Return the responsibility of every module by its path inside the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): _responsibility(path)
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def _responsibility(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    told = " ".join(text.partition("\n\n")[0].split())
    return told.replace("``", "`").replace("|", "\\|")


def module_map() -> str:
    """Return the map: a table of the top level, and one for each package."""
    known = modules()
    packages = sorted({name.partition("/")[0] for name in known if "/" in name})
    top = {
        name: told
        for name, told in known.items()
        if "/" not in name and name != "__init__.py"
    }
    lines = ["### specstats", "", known["__init__.py"], ""]
    lines += _table({**{f"{name}/": _of(known, name) for name in packages}, **top})
    for package in packages:
        inner = {
            name.removeprefix(f"{package}/"): told
            for name, told in known.items()
            if name.startswith(f"{package}/") and not name.endswith("/__init__.py")
        }
        lines += ["", f"### specstats/{package}", "", _of(known, package), ""]
        lines += _table(inner)
    return "\n".join(lines)


def _of(known: dict[str, str], package: str) -> str:
    return known[f"{package}/__init__.py"]


def _table(rows: dict[str, str]) -> list[str]:
    head = ["| module | responsibility |", "|---|---|"]
    return head + [f"| `{name}` | {told} |" for name, told in rows.items()]


def fresh() -> dict[Path, str]:
    """Return the page as it should be."""
    page = PAGE.read_text(encoding="utf-8")
    return {PAGE: _marked.replaced(page, "module map", module_map())}


if __name__ == "__main__":
    sys.exit(_marked.main(__doc__.partition("\n")[0], fresh, sys.argv[1:]))
