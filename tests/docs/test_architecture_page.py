"""docs/architecture.md says what there is."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "specstats"


def listed() -> set[str]:
    """Return the paths of the module map, read from the page alone."""
    section = PAGE.partition("<!-- begin module map -->")[2]
    found: set[str] = set()
    folder = ""
    for line in section.splitlines():
        heading = re.fullmatch(r"### specstats(?:/(\w+))?", line)
        if heading is not None:
            folder = f"{heading[1]}/" if heading[1] else ""
        row = re.match(r"\| `([\w/.]+)` \| (.+) \|$", line)
        if row is not None:
            assert row[2].strip(), f"{row[1]} has no responsibility"
            found.add(f"{folder}{row[1]}")
    return found


def test_the_module_map_is_the_tree() -> None:
    modules = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py"
    }
    packages = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}

    assert listed() == modules | packages


def test_the_layers_are_those_of_the_contract() -> None:
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = config["tool"]["importlinter"]["contracts"]
    layers = next(item["layers"] for item in contracts if item["id"] == "layers")
    declared = " > ".join(layer.strip("()") for layer in layers)
    shown = re.search(r"```text\n(__main__ >.*?)```", PAGE, re.DOTALL)

    assert shown is not None
    assert " ".join(shown[1].split()) == declared


def test_codes_exist() -> None:
    from specstats import RULES

    reserved = {"SPS401"}  # named as such
    found = set(re.findall(r"SPS\d{3}", PAGE))

    assert found - reserved <= set(RULES)
