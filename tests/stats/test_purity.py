import ast
from pathlib import Path

import specstats.stats

FOLDER = Path(specstats.stats.__file__).parent
ALLOWED_SCIPY = {"special", "optimize"}
BANNED = {"pandas", "statsmodels", "matplotlib", "pyarrow"}
MAY_USE = {"mixed.py": {"statsmodels"}}


def test_only_numpy_and_two_parts_of_scipy() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                names = {alias.name for alias in node.names}
                module = (node.module or "").partition(".")[0]
                assert module not in BANNED - MAY_USE.get(path.name, set()), path.name
                if node.module == "scipy":
                    assert names <= ALLOWED_SCIPY, path.name
                assert not (node.module or "").startswith("scipy.stats"), path.name
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
                assert not names & (BANNED | {"scipy"}), path.name
