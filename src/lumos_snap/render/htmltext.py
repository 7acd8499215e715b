"""Texts made inert in HTML."""

import html
from urllib.parse import quote

from lumos_snap.render.markdowntext import QUOTED
from lumos_snap.text import brief


def said(text: str, most: int = 600) -> str:
    """The text, with nothing in it that a browser would obey."""
    return html.escape(brief(text, most))


def code(text: str, most: int = 400) -> str:
    """The text as code."""
    return f"<code>{said(text, most)}</code>"


def prose(text: str, most: int = 800) -> str:
    """A sentence of ours, in which what it quotes is code."""
    return QUOTED.sub(r"<code>\2</code>", said(text, most))


def place(path: str, line: int, files: str) -> str:
    """Where something stands, and a link to it where an address is known that paths follow."""
    shown = code(f"{path}:{line}" if line else path)
    if not files:
        return shown
    address = f"{files}{quote(path, errors='replace')}{f'#L{line}' if line else ''}"
    return f'<a href="{html.escape(address)}">{shown}</a>'
