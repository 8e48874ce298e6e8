"""Reports: results rendered; nothing is computed here."""

from specstats.report.csv import to_csv
from specstats.report.github import to_github
from specstats.report.json import to_json
from specstats.report.junit import to_junit
from specstats.report.markdown import to_markdown
from specstats.report.text import to_text

__all__ = ["to_csv", "to_github", "to_json", "to_junit", "to_markdown", "to_text"]
