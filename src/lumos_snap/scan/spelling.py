"""Names that hold bytes which are no text, as texts for reports and documents."""


def readable(name: str) -> str:
    r"""The name with each byte that is not UTF-8 spelled out, as in `caf\xe9.csv`."""
    if name.isascii():
        return name
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
