"""A column's name, followed back through the commits that changed it."""

from collections.abc import Iterable

from lumos_snap.diff import Action, Fact
from lumos_snap.flows.history.merged import is_inside

_FIELDS = ("schema", "fields")
_WHOLE = (Action.ADDED, Action.REMOVED, Action.RENAMED, Action.MOVED)


def path_before(facts: Iterable[Fact], path: str, root: tuple[str, str] = _FIELDS) -> str:
    """The path of a column before a change, from its path after it; empty where it was not there.

    Of all that happened to the column and to what is around it, the innermost counts.
    """
    best: Fact | None = None
    for fact in facts:
        if fact.at[:2] == root and fact.action in _WHOLE and _is_column(fact):
            is_about = fact.action is not Action.REMOVED and is_inside(path, fact.path)
            if is_about and (best is None or len(fact.path) > len(best.path)):
                best = fact
    if best is None:
        return path
    if best.action is Action.ADDED:
        return ""
    return best.was + path[len(best.path) :]


def _is_column(fact: Fact) -> bool:
    return "." not in fact.subject


def touches(fact: Fact, path: str, was: str) -> bool:
    """Whether a fact is about a column, something inside it, or all of what holds it."""
    if not fact.path:
        return fact.subject == "dataset" and fact.action is not Action.RENAMED
    named = [one for one in (fact.path, fact.was) if one]
    if any(is_inside(one, known) for one in named for known in (path, was) if known):
        return True
    is_around = fact.action in _WHOLE and _is_column(fact)
    is_around = is_around or (fact.subject.endswith(".type") and fact.at[:1] == ("schema",))
    return is_around and any(
        is_inside(known, one) for one in named for known in (path, was) if known
    )


def is_renamed(fact: Fact, root: tuple[str, str]) -> bool:
    """Whether a fact gives a column of a list another path."""
    return fact.at[:2] == root and fact.action in (Action.RENAMED, Action.MOVED)
