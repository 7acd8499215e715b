"""Names and texts as the world writes them; some look like others on purpose."""

# ruff: noqa: RUF001

from hypothesis import strategies as st

ODD_TEXTS = (
    "a\x00b", "tab\there", "line\nbreak", "cr\r\nlf", "\x1b[31mred", "\x7f", "\x85", "\u2028",
    "\ufeff", '"quoted"', "it's", "`ticks`", "back\\slash", "a/b", "//", "%2F", "%", "%zz",
    "~abc123", "a~b", "<b>", "a|b", "a:b", "a*?", "$", "#", "a#2", "a.b", "a,b", "(x)", "a[]",
    "m{}", "m{key}", "é", "e\u0301", "<\u0327", ".\u0301", "\u0301", "A\u030a", "\u212b",
    "\u1100\u1161", "가", "q\u0323\u0307", "İ", "ı", "i\u0307", "I", "i", "ß", "ẞ", "SS", "ss",
    "ﬁ", "fi", "ſ", "s", "Σ", "ς", "σ", "µ", "μ", "Å", "å", "ŉ", "ǰ", "ΐ", "ᾳ", "\u1c90", "ა",
    "Ꭰ", "\uab70", "\u212a", "שלום", "مرحبا", "\u202eabc", "हिन्दी", "日本語", "👩\u200d💻",
    "🇩🇪", "𝔘𝔫𝔦", "\U00010d50", "\U0001e900", "\U0010ffff", ".", "..", "...", ".git", ".GIT",
    "git~1", ".hidden", "con", "CON", "Con.txt", "con .txt", "aux", "nul", "prn", "com1", "COM¹",
    "lpt9.x", "conin$", "com10", "trailing.", "trailing ", " lead", " ", "x.json", "x.JSON",
    ".json", "x.json.", "json", "-rf", "--", "x" * 199, "x" * 200, "x" * 201, "é" * 150,
    "X" * 500, "." * 201, "x" * 199 + ".", "👩" * 90, "a" * 196 + ".json",
)  # fmt: skip
"""Each once broke some file system, terminal or parser."""

odd_texts = st.sampled_from(ODD_TEXTS)

texts = st.one_of(
    st.text(min_size=1, max_size=8),
    odd_texts,
    st.tuples(odd_texts, odd_texts).map("".join),
)
"""Any text that JSON can hold and that is not empty."""

_bytes = st.one_of(
    st.binary(min_size=1, max_size=6), st.sampled_from((b"\xff", b"\xe9t\xe9", b"caf\xc3"))
)

names = st.one_of(texts, _bytes.map(lambda raw: raw.decode("utf-8", "surrogateescape")))
"""Any name that a store may give to a thing; single bytes stand as surrogate escapes."""

words = st.sampled_from(("a", "b", "id", "name", "day", "amount", "ts"))

short_texts = st.one_of(words, texts)
