"""Escaping for Markdown: as text, as code, in a table, and inside HTML."""

import html
import re
from urllib.parse import quote

from lumos_snap.text import sanitize_brief

# Anywhere; after a bracket; at the start of a line, and after a number there.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$^]|(?<=\])\(|^[-+#=]|(?<=^\d)[.)]|(?<=^\d\d)[.)])")
# After these, a host looks for something to link to or to mention, or for an image.
_REFERENCE = re.compile(r"@|[#!%~$&^](?=\w)|:(?=//|[A-Za-z_+-][\w+-]*:)|(?i:www(?=\.)|\bGH-(?=\d))")
_APART = "\u200b"
_FENCES = re.compile("`+")
# As in Markdown: a name with backticks is enclosed in longer runs of them.
QUOTED = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def escape_markdown(text: str, most: int = 400) -> str:
    """Escape a text for Markdown, on one line and without mentions."""
    # Leading space would make a code block, and trailing space would leave bold text open.
    plain = sanitize_brief(text, most).strip() or "␣"
    return _SPECIAL.sub(r"\\\1", _break_references(plain))


def escape_markdown_prose(text: str, most: int = 800) -> str:
    """An escaped sentence of ours, with quoted parts as code."""
    first, *rest = QUOTED.split(sanitize_brief(text, most).strip() or "␣")
    quoted = zip(rest[1::3], rest[2::3], strict=True)
    return _between(first) + "".join(
        f"{escape_markdown_code(one)}{_between(then)}" for one, then in quoted
    )


def _between(text: str) -> str:
    """Escaped text, with the space that separates it from code."""
    start, end = text[:1] == " ", text[-1:] == " "
    return f"{' ' * start}{escape_markdown(text, len(text))}{' ' * end}" if text.strip() else text


def escape_markdown_code(text: str, most: int = 300) -> str:
    """The text as code, with a fence longer than any run of backticks in it."""
    plain = sanitize_brief(text, most) or " "
    fence = "`" * (1 + max(map(len, _FENCES.findall(plain)), default=0))
    gap = " " if plain[0] in "` " or plain[-1] in "` " else ""
    return f"{fence}{gap}{plain}{gap}{fence}"


def escape_inline_html_code(text: str, most: int = 300) -> str:
    """The text as code in HTML and in table cells, where a bar would end even code."""
    return f"<code>{_entities(_break_references(sanitize_brief(text, most)))}</code>"


def escape_inline_html(text: str, most: int = 400) -> str:
    """Escape a text inside HTML, where Markdown is not interpreted."""
    return html.escape(_break_references(sanitize_brief(text, most)))


def format_link(text: str, address: str, path: str, line: int) -> str:
    """A position as code, linked if the base URL of files is known."""
    if not address:
        return escape_markdown_code(text)
    end = f"#L{line}" if line else ""
    return f"[{escape_inline_html_code(text)}](<{address}{quote(path, errors='replace')}{end}>)"


def _break_references(text: str) -> str:
    return _REFERENCE.sub(lambda match: match.group() + _APART, text)


def _entities(text: str) -> str:
    """Encode each sign that HTML or Markdown interprets as a numeric entity."""
    return "".join(
        f"&#{ord(c)};" if not (c.isalnum() or c in " ./,;-()" or c > "\x7f") else c for c in text
    )
