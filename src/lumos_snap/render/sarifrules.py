"""What SARIF says of each rule: a sentence, why, and what to do."""

from collections.abc import Iterable, Mapping
from typing import Any

from lumos_snap.canonical.rules import ALL_LAWS
from lumos_snap.render.markdowntext import prose
from lumos_snap.render.notices import LONGEST, Notice
from lumos_snap.rules.registry import by_name
from lumos_snap.text import brief

Plain = dict[str, Any]


def rules(found: Iterable[Notice]) -> list[Plain]:
    """A descriptor for each rule that a notice names, in order of their ids."""
    first: dict[str, Notice] = {}
    for one in found:
        first.setdefault(one.rule, one)
    laws = {law.id: law for law in ALL_LAWS}
    return [_rule(one, laws) for _, one in sorted(first.items())]


def _rule(one: Notice, laws: Mapping[str, Any]) -> Plain:
    known, law = by_name().get(one.rule), laws.get(one.rule)
    if known is not None:
        return _described(known.id, known.slug, known.why, known.fix, known.family.value)
    if law is not None:
        return _described(law.id, law.id, f"{law.says}. {law.why}", law.fix, "documents")
    if one.finding is not None:
        said = one.finding
        name = one.name or one.rule
        why, fix, family = (brief(text, LONGEST) for text in (said.why, said.fix, said.family))
        return _described(one.rule, name, why, fix, family)
    return _described(one.rule, one.rule, one.says, "look at the report", "gate")


def _described(name: str, slug: str, why: str, fix: str, family: str) -> Plain:
    """A descriptor; its first sentence is what GitHub shows as a title."""
    return {
        "id": name,
        "name": slug,
        "shortDescription": {"text": unlinked(f"{_words(slug)} ({name})")},
        "fullDescription": {"text": unlinked(why)},
        "help": {
            "text": unlinked(f"{why}\n\nWhat to do: {fix}"),
            "markdown": f"{prose(why)}\n\n**What to do:** {prose(fix)}",
        },
        "properties": {"tags": ["metadata", family]},
    }


def _words(slug: str) -> str:
    return slug.replace("-", " ").capitalize()


def unlinked(text: str) -> str:
    """The text without links: `[text](address)` is one in SARIF even where nothing is formatted."""
    return text.replace("](", "]\u200b(")
