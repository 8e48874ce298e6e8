"""Sphinx configuration; also writes the pages that come from the code."""

import os
import shutil
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

from docs._gen import cli, formats, rule_pages, tables  # noqa: E402
from specstats import __version__  # noqa: E402

# --- pages from the code ----------------------------------------------------------


def write(path: Path, content: str) -> None:
    """Write a page, unless it is there already: Sphinx rebuilds what is newer."""
    if not path.is_file() or path.read_text(encoding="utf-8") != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="\n")


format_pages = formats.pages()
for name, page in format_pages.items():
    write(DOCS / "formats" / name, page)
for old in (DOCS / "formats").glob("*.md"):
    if old.name not in {*format_pages, "coverage.md"}:
        old.unlink()
write(DOCS / "reference" / "cli.md", cli.markdown())
write(DOCS / "reference" / "tables.md", tables.markdown())
write(DOCS / "rules" / "index.md", rule_pages.index_markdown())
for code, page in rule_pages.pages().items():
    write(DOCS / "rules" / f"{code}.md", rule_pages.docs_page(page))

# Committed executed, and checked by `make notebooks`; a copy is shown.
for notebook in sorted((ROOT / "notebooks").glob("*.ipynb")):
    (DOCS / "notebooks").mkdir(exist_ok=True)
    shutil.copy2(notebook, DOCS / "notebooks" / notebook.name)

# --- project ----------------------------------------------------------------------

project = "specstats"
author = "specstats contributors"
copyright = "specstats contributors, BSD-3-Clause"
release = version = __version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "_gen", "_templates", "**.ipynb_checkpoints"]
root_doc = "index"
language = "en"
default_role = "py:obj"
nitpicky = False

# References to other projects and strict cross-references need a network.
if os.environ.get("SPECSTATS_DOCS_ONLINE") == "1":
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "numpy": ("https://numpy.org/doc/stable/", None),
        "pandas": ("https://pandas.pydata.org/docs/", None),
        "python": ("https://docs.python.org/3/", None),
        "scipy": ("https://docs.scipy.org/doc/scipy/", None),
    }

# --- Markdown and notebooks -------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "off"
nb_merge_streams = True
copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"

# --- docstrings -------------------------------------------------------------------

autosummary_generate = True
autodoc_typehints = "none"
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
templates_path = ["_templates"]

# --- HTML: nothing is loaded from elsewhere ---------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "specstats"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": True,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_static_path = ["_static"]
html_css_files = ["specstats.css"]
# Pages that have no neighbours to list.
html_sidebars = {
    name: [] for name in ("architecture", "changelog", "contributing", "notebooks/*")
} | {"validation/*": []}
