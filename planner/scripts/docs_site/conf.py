"""Configuration of Sphinx for the site; `make site` names the folders."""

from pathlib import PurePosixPath
from typing import Any

project = "netplan"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
# Output of 100 columns fits beside the contents.
html_theme_options = {"light_css_variables": {"code-font-size": "0.7rem"}}
# Options begin with two hyphens, also in sentences.
smartquotes = False
html_title = "netplan"
html_copy_source = False
html_show_sphinx = False
highlight_language = "none"
myst_heading_anchors = 4
# Blocks of `toml` and `console` hold "…" where something is left out.
suppress_warnings = ["misc.highlighting_failure"]


def _with_markdown(
    _app: Any, page: str, _template: str, context: dict[str, Any], tree: Any
) -> None:
    """Name the Markdown of a page, which lies beside it, in the head of its HTML."""
    if tree is not None:
        file = f"{PurePosixPath(page).name}.md"
        link = f'<link rel="alternate" type="text/markdown" href="{file}">'
        context["metatags"] = context.get("metatags", "") + link


def setup(app: Any) -> None:
    """Register what this configuration adds."""
    app.connect("html-page-context", _with_markdown)
