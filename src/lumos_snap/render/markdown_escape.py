"""Texts made inert in Markdown: as text, as code, in a table, and inside of HTML."""

import html
import re
from urllib.parse import quote

from lumos_snap.text import sanitize_brief

# Anywhere; behind a bracket; where a line begins, and after the number that it begins with.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~&$^]|(?<=\])\(|^[-+#=]|(?<=^\d)[.)]|(?<=^\d\d)[.)])")
# After these, a host looks for somebody or something to link to, or for a picture to show.
_REFERENCE = re.compile(r"@|[#!%~$&^](?=\w)|:(?=//|[A-Za-z_+-][\w+-]*:)|(?i:www(?=\.)|\bGH-(?=\d))")
_APART = "\u200b"
_FENCES = re.compile("`+")
# As Markdown reads it: a name with backticks stands between longer runs of them.
QUOTED = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")


def escape_markdown(text: str, most: int = 400) -> str:
    """The text, on one line, with nothing in it that Markdown would obey, and no mention."""
    # Space at an end would make a block of code, or leave bold text open.
    plain = sanitize_brief(text, most).strip() or "␣"
    return _SPECIAL.sub(r"\\\1", _break_references(plain))


def escape_markdown_prose(text: str, most: int = 800) -> str:
    """A sentence of ours: what it quotes is code, and the rest is inert all the same."""
    first, *rest = QUOTED.split(sanitize_brief(text, most).strip() or "␣")
    quoted = zip(rest[1::3], rest[2::3], strict=True)
    return _between(first) + "".join(
        f"{escape_markdown_code(one)}{_between(then)}" for one, then in quoted
    )


def _between(text: str) -> str:
    """Inert text, with the space that parts it from code."""
    start, end = text[:1] == " ", text[-1:] == " "
    return f"{' ' * start}{escape_markdown(text, len(text))}{' ' * end}" if text.strip() else text


def escape_markdown_code(text: str, most: int = 300) -> str:
    """The text as code: a fence longer than any run of backticks in it."""
    plain = sanitize_brief(text, most) or " "
    fence = "`" * (1 + max(map(len, _FENCES.findall(plain)), default=0))
    gap = " " if plain[0] in "` " or plain[-1] in "` " else ""
    return f"{fence}{gap}{plain}{gap}{fence}"


def escape_inline_html_code(text: str, most: int = 300) -> str:
    """The text as code in HTML, and in the cell of a table, where a bar would end even code."""
    return f"<code>{_entities(_break_references(sanitize_brief(text, most)))}</code>"


def escape_inline_html(text: str, most: int = 400) -> str:
    """The text inside of HTML, where no Markdown counts."""
    return html.escape(_break_references(sanitize_brief(text, most)))


def format_link(text: str, address: str, path: str, line: int) -> str:
    """A place as code, and as a link where an address is known that paths follow."""
    if not address:
        return escape_markdown_code(text)
    end = f"#L{line}" if line else ""
    return f"[{escape_inline_html_code(text)}](<{address}{quote(path, errors='replace')}{end}>)"


def _break_references(text: str) -> str:
    return _REFERENCE.sub(lambda match: match.group() + _APART, text)


def _entities(text: str) -> str:
    """Each sign that HTML or Markdown knows, as a number."""
    return "".join(
        f"&#{ord(c)};" if not (c.isalnum() or c in " ./,;-()" or c > "\x7f") else c for c in text
    )
