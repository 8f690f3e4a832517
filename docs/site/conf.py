# The documentation as pages, for Sphinx (scripts/site.sh).
import re

project = html_title = "quartozero"
html_theme = "sphinx_rtd_theme"
html_favicon = "../../web/page/icon.svg"
html_copy_source = html_show_copyright = False
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.githubpages"]

# Markdown as the repository shows it: anchors from the headings; a block of code may be anything.
myst_heading_anchors = 6
highlight_language = "none"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

autoclass_content = "both"
autodoc_mock_imports = ["gymnasium", "pettingzoo", "pyspiel"]
default_role = "code"  # what docstrings have between single backticks


def signature(app, what, name, object, options, arguments, returned):
    # Compiled methods name their object, with its type.
    return re.sub(r"\(self: [\w.]+(, )?", "(", arguments or "") or None, returned


def docstring(app, what, name, object, options, lines):
    # Plain text; Python writes some for named tuples that say nothing.
    lines[:] = [line.replace("*", r"\*") for line in lines if not re.match("Alias for field|Create new instance", line)]


def setup(app):
    app.connect("autodoc-process-signature", signature)
    app.connect("autodoc-process-docstring", docstring)
