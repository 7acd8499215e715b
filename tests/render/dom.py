"""Pages as a browser sees them: parsed by the algorithm of HTML5, Markdown rendered as hosts do."""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

import cmarkgfm
import html5lib
from cmarkgfm.cmark import Options

_EXTENSIONS = ["table", "autolink", "strikethrough", "tasklist"]
"""Those of GitHub, but for the one that filters tags: nothing may need it."""


def rendered(markdown: str) -> str:
    """Markdown as HTML."""
    html: str = cmarkgfm.markdown_to_html_with_extensions(
        markdown, options=Options.CMARK_OPT_UNSAFE, extensions=_EXTENSIONS
    )
    return html


def parsed(html: str) -> Element:
    """The tree of a page, with every repair that a browser makes."""
    tree: Element = html5lib.parse(html, namespaceHTMLElements=False)
    return tree


def tags(top: Element) -> set[str]:
    """Every kind of element."""
    return {str(one.tag) for one in top.iter()}


def shape(top: Element) -> str:
    """Elements within elements, without what is written in them; code may stand anywhere."""
    inner = "".join(map(shape, top))
    return inner if top.tag == "code" else f"({top.tag}{inner})"


def plain_texts(top: Element) -> Iterator[str]:
    """What is written outside of code, where a host looks for mentions."""
    if top.tag in ("code", "pre", "style"):
        return
    yield top.text or ""
    for child in top:
        yield from plain_texts(child)
        yield child.tail or ""
