"""``specstats rule`` shows the page of a rule as it is shipped."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from specstats.diagnostics import RULES, rule

RunCli = Callable[..., CompletedProcess[str]]


@pytest.mark.parametrize("code", RULES)
def test_a_page_by_code_and_by_slug(code: str, run_cli: RunCli) -> None:
    by_code = run_cli("rule", code.lower())
    by_slug = run_cli("rule", RULES[code].slug)

    assert by_code.returncode == by_slug.returncode == 0
    assert by_code.stdout == by_slug.stdout == rule(code).page().rstrip() + "\n"
    assert by_code.stdout.startswith(f"# {code} {RULES[code].slug}\n")


def test_all_rules_are_listed(run_cli: RunCli) -> None:
    listed = run_cli("rule", "--all").stdout

    assert [line.split()[0] for line in listed.splitlines() if line[:3] == "SPS"] == [
        *RULES
    ]
