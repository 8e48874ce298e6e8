"""Reference values from other software and publications (see NOTES.md)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

VALUES = Path(__file__).parent / "values"


@pytest.fixture
def reference() -> Callable[[str], dict[str, Any]]:
    """Load one file of values by name."""

    def load(name: str) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((VALUES / f"{name}.json").read_text())
        return content

    return load
