"""Configuration of the HTML pages, which `make docs` builds.

The source directory is the root of the repository, so that links between README.md, the pages of docs/ and source files
work in a clone, on a code host and in the HTML.
"""

from __future__ import annotations

import logging

# The root logger prints at this level while the chapters run, and its messages are no output of a chapter.
logging.getLogger("blockdsl").setLevel(logging.WARNING)

project = "blockdsl"
author = "The blockdsl developers"
project_copyright = "The blockdsl developers"

extensions = [
    "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton", "sphinx_gallery.gen_gallery",
    "pages.site",
]  # fmt: skip
root_doc = "docs/index"
include_patterns = [
    "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md",
    "docs/*.md", "docs/*/*.md", "docs/tutorial/*.rst",
]  # fmt: skip
exclude_patterns = ["build*", "dist", ".*", "changelog.d"]

# Links to headings are those of code hosts.
myst_heading_anchors = 4

# The types of a kernel's values are in the text of the docstrings.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
napoleon_use_ivar = True
default_role = "literal"

# The chapters are programs, which are run here for their output and pictures.
sphinx_gallery_conf = {
    "examples_dirs": ["examples/tutorial"],
    "gallery_dirs": ["docs/tutorial"],
    "filename_pattern": r"/\d_",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
}

copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = "blockdsl"
html_show_sphinx = False
html_extra_path = ["html"]

# Anchors on code hosts are set by scripts.
linkcheck_anchors_ignore_for_url = [r"https://github\.com/.*"]
