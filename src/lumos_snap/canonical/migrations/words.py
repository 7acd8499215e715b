"""Lists of words: tags, terms, regulations, members."""

from lumos_snap.canonical.migrations.left import Left
from lumos_snap.canonical.migrations.values import reference


def words(*lists: Left) -> list[str]:
    """The words of some lists, each once and in order; what is no word stays where it is."""
    found = {item.take(as_=reference) for node in lists for item in node.items()}
    return sorted(word for word in found if word is not None)
