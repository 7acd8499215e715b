"""Paths that break tools which split, quote, glob or guess."""

import os

ODD_PATHS = (
    "with space.json",
    'quote\'d "twice".json',
    '"quoted".json',
    "new\nline.json",
    "tab\tand\rreturn\r",
    "back\\slash.json",
    "-dash.json",
    "--help",
    ":colon",
    ":(glob)magic",
    "[ab]*?.json",
    "cafe\u0301 NFD.json",
    "caf\u00e9 NFC.json",
    os.fsdecode(b"latin-\xe9\xff.json"),
    "\u2028\U0001f600.json",
    " ",
    "a/b/c/d/e.json",
)
