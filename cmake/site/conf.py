# SPDX-License-Identifier: BSD-3-Clause
"""How Sphinx makes the site (site.py)."""
from pathlib import Path

from pygments.lexers.special import TextLexer

project = "gpunetsim"
html_title = "gpunetsim"
extensions = ["myst_parser"]
exclude_patterns = ["extra"]
myst_heading_anchors = 4
smartquotes = False  # options begin with two dashes
html_theme = "alabaster"  # it comes with Sphinx
html_theme_options = {"page_width": "75rem", "sidebar_width": "16rem", "show_powered_by": False}
html_sidebars = {"**": ["about.html", "searchbox.html", "navigation.html"]}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["extra"] if Path("extra").exists() else []
html_copy_source = False
html_show_copyright = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]


def setup(app):
    """Blocks of the pages that are no language of Pygments."""
    for name in ("goal", "picture", "tsv"):
        app.add_lexer(name, TextLexer)
