"""What a comment says: a section for each tree that has something to say, within GitHub's limit."""

from collections.abc import Iterator, Sequence

from lumos_snap.ci.shortening import shares, shortened
from lumos_snap.render import outputs
from lumos_snap.render.markdowntext import code, escaped
from lumos_snap.report.gating import TreeResult

MOST = 60_000
"""Characters: GitHub takes 65,536, and its own count is not quite ours."""
_LONGEST_NAME = 200
_MOST_NAMES = 50
_SIGNS = {"pass": "✅", "fail": "❌", "undecided": "⚠️"}


def says_something(result: TreeResult) -> bool:
    """Whether there is anything about a tree that is worth a comment."""
    found = result.difference
    if found is None or found.verdict != "pass":
        return True
    edits = found.policy_changes or found.new_waivers
    return bool(edits or found.datasets or found.entities or found.damaged or found.remarks)


def body_of(results: Sequence[TreeResult], *, run_url: str = "", most: int = MOST) -> str:
    """The whole comment; the worst trees come first."""
    more = f"**There is more:** [the run]({run_url}) has all of it." if run_url else _MORE
    heard = sorted(filter(says_something, results), key=lambda one: _RANKS[_verdict(one)])
    told = heard or list(results[:1])
    is_one = len(results) == 1
    head = [] if is_one else [_head(results), ""]
    sections = [_section(one, has_title=not is_one) for one in told]
    if heard and (quiet := [one for one in results if one not in heard]):
        sections.append(f"No dataset changed in {_named(quiet)}.\n")
    foot = f"\n<sub>[the run]({run_url})</sub>\n" if run_url else ""
    room = most - len("\n".join(head)) - len(foot) - len(sections)
    rooms = shares(list(map(len, sections)), room)
    fitting = (shortened(text, width, more) for text, width in zip(sections, rooms, strict=True))
    return shortened("\n".join([*head, *fitting]) + foot, most, more)


_MORE = "**There is more:** the run that wrote this has all of it."
_RANKS = {"fail": 0, "undecided": 1, "pass": 2}


def _verdict(result: TreeResult) -> str:
    return result.difference.verdict if result.difference else "undecided"


def _head(results: Sequence[TreeResult]) -> str:
    counted = [_verdict(one) for one in results]
    worst = min(counted, key=_RANKS.__getitem__)
    words = (("fail", "fail"), ("undecided", "cannot be decided"), ("pass", "pass"))
    told = ", ".join(f"{counted.count(key)} {word}" for key, word in words if key in counted)
    return f"## {_SIGNS[worst]} {len(results)} trees: {told}"


def _section(result: TreeResult, *, has_title: bool) -> str:
    title = f"---\n\n**Tree {code(_short(result.name))}**\n\n" if has_title else ""
    return title + "\n".join(_told(result))


def _told(result: TreeResult) -> Iterator[str]:
    if result.difference is not None:
        yield outputs.FORMATS["markdown"](result.difference, outputs.Style())
        return
    yield f"## {_SIGNS['undecided']} Undecided: there is nothing to judge by"
    yield ""
    yield escaped(result.problem or "nothing is known")
    if result.hint:
        yield from ("", f"What to do: {escaped(result.hint)}")
    yield ""


def _named(results: Sequence[TreeResult]) -> str:
    named = [code(_short(one.name)) for one in results[:_MOST_NAMES]]
    more = len(results) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
