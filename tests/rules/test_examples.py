import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from specstats.diagnostics import RULES

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "_gen" / "rule_pages.py"

# Rules that cannot but fire as well.
ALSO_IN_EXAMPLE = {
    "SPS004": {"SPS012"},  # a table says nothing of its arm
    "SPS007": {"SPS402"},  # a cell that failed is left out everywhere
    "SPS010": {"SPS012"},  # a plain table says nothing of its launches
    "SPS103": {"SPS012"},  # one process has one start time for both launches
    "SPS202": {"SPS101", "SPS212"},  # a single run against several
    "SPS306": {"SPS115"},  # two drafters and no baseline
    "SPS307": {"SPS305"},  # one generation
    "SPS213": {"SPS201"},  # the method gives no verdict either
    "SPS204": {"SPS105", "SPS201"},  # an arm without a workload lacks its prompts
}
ALSO_IN_REMEDY = {
    "SPS006": {"SPS305"},  # one response
    "SPS010": {"SPS012"},  # a plain table says nothing of its launches
    "SPS107": {"SPS402"},  # the warm-up that is declared
    "SPS111": {"SPS305"},  # one generation
    "SPS306": {"SPS115"},  # two drafters and no baseline
    "SPS307": {"SPS305"},  # one generation
    "SPS309": {"SPS305"},  # one request of a log
    "SPS401": {"SPS402"},  # the exclusion with its reason
    "SPS402": {"SPS107"},  # the warm-up that is not
}


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rule_pages", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


pages = load()


def fired(code: str, heading: str) -> set[str]:
    step = pages.steps(RULES[code].page())[heading]
    assert step.commands
    found: set[str] = set()
    with pages.folder_of(step.files):
        for command in step.commands:
            found |= pages.codes_of(command)
    return found


@pytest.mark.parametrize("code", RULES)
def test_the_example_fires_the_rule(code: str) -> None:
    found = fired(code, pages.EXAMPLE)
    assert code in found
    assert found - {code} <= ALSO_IN_EXAMPLE.get(code, set())


@pytest.mark.parametrize("code", RULES)
def test_what_to_do_ends_it(code: str) -> None:
    found = fired(code, pages.REMEDY)
    assert code not in found
    assert found <= ALSO_IN_REMEDY.get(code, set())


@pytest.mark.parametrize("code", RULES)
def test_the_outputs_are_up_to_date(code: str) -> None:
    diff = pages.difference(code, RULES[code].page())
    assert not diff, f"python docs/_gen/rule_pages.py --write --only {code}\n{diff}"


@pytest.mark.parametrize("code", RULES)
def test_what_to_do_changes_something(code: str) -> None:
    page = RULES[code].page()
    first, second = (
        pages.step_of(page, pages.EXAMPLE),
        pages.step_of(page, pages.REMEDY),
    )
    assert first.files
    unchanged = {
        name for name in second.files if first.files.get(name) == second.files[name]
    }
    assert not unchanged
    texts = [command.text for command in first.commands]
    assert second.files or [command.text for command in second.commands] != texts


def test_a_stale_output_is_shown_and_mended() -> None:
    page = RULES["SPS101"].page()
    stale = page.replace("error SPS101", "error SPS999", 1)
    assert "-error SPS999" in pages.difference("SPS101", stale)
    assert pages.refreshed(stale) == page


def test_a_command_outside_the_two_sections_is_an_error() -> None:
    page = RULES["SPS101"].page()
    other = page.replace(
        "## Since\n", "```console\n$ specstats formats\n```\n\n## Since\n"
    )
    with pytest.raises(ValueError, match="commands stand in Example and What to do"):
        pages.refreshed(other)


def test_only_specstats_is_run() -> None:
    with pytest.raises(ValueError, match="pages run specstats alone"):
        pages.output_of(pages.Command("rm -r .", ()))


def test_the_index_lists_every_rule_once() -> None:
    index = pages.index_markdown()
    for rule in RULES.values():
        row = f"| [{rule.code} {rule.slug}]({rule.code}.md) | {rule.level.value} |"
        assert index.count(row) == 1


def test_pages_for_the_docs_have_captions_and_known_languages(tmp_path: Path) -> None:
    pages.write_docs(tmp_path)
    assert len(list(tmp_path.iterdir())) == len(RULES) + 1
    page = (tmp_path / "SPS011.md").read_text(encoding="utf-8")
    assert "```{code-block} text\n:caption: gpu.csv\n\n2026/11/30" in page
    assert "```console\n$ specstats check gpu.csv" in page
    for written in tmp_path.iterdir():
        assert "```jsonl" not in written.read_text(encoding="utf-8")


def test_the_script_checks_one_page() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check", "--only", "SPS402"],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
