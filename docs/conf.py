"""Settings of the documentation site; `make docs` builds it into build/docs."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))

from mosaic_sr import __version__

project = "MOSAIC-SR"
author = "the MOSAIC-SR developers"
project_copyright = "the MOSAIC-SR developers, Apache-2.0"
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "plain_docstrings", "command_pages"]
html_theme = "furo"
html_title = f"MOSAIC-SR {__version__}"
html_static_path = ["site/style.css"]
html_css_files = ["style.css"]
# The theme's button to see a page as source leads nowhere without a public repository.
html_show_sourcelink = False
exclude_patterns = ["site"]

# Two hyphens are an option, and quotes are part of the code.
smartquotes = False
# Headings down to this level can be linked to, as on GitHub.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist"]
# Pages with code cells run when the site is built: what they show is what this version prints.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
# A first use compiles for about a minute, on a busy machine for several.
nb_execution_timeout = 600
# Progress and notes on standard error belong to the moment, not to a page.
nb_output_stderr = "remove"

autodoc_member_order = "bysource"
autodoc_typehints = "none"
# Docstrings put code between single backticks, as Markdown does.
default_role = "code"
