"""Body of the comment: sections of all trees, shortened to GitHub's limit."""

from collections.abc import Iterator, Sequence

from lumos_snap.render import diff_formats
from lumos_snap.render.markdown_escape import escape_markdown, escape_markdown_code
from lumos_snap.report.gate import TreeResult

_RESERVE = 100
"""Characters reserved for closing tags after the last line."""


def shorten_markdown(text: str, most: int, more: str) -> str:
    """Shorten a text to as many whole lines as fit, with a last line about the rest."""
    if len(text) <= most:
        return text
    lines = text.split("\n")
    room = most - len(more) - _RESERVE
    kept, opened, fence = 0, 0, False
    for line in lines:
        # Reserve the closing tag of each open section.
        room -= len(line) + 1 + line.count("<details") * len("\n</details>\n")
        if room < 0:
            break
        kept += 1
        opened += line.count("<details") - line.count("</details>")
        fence ^= line.lstrip().startswith("```")
    ends = [*(["```"] if fence else []), *(["", "</details>"] * opened)]
    return "\n".join([*lines[:kept], *ends, "", more, ""])


def shares(lengths: Sequence[int], room: int) -> tuple[int, ...]:
    """Divide the space among texts: short ones get all that they need, long ones share the rest."""
    found = [0] * len(lengths)
    left = room
    by_length = sorted(range(len(lengths)), key=lengths.__getitem__)
    for done, index in enumerate(by_length):
        found[index] = min(lengths[index], left // (len(lengths) - done))
        left -= found[index]
    return tuple(found)


MOST = 60_000
"""Characters: GitHub's limit is 65,536, and it counts slightly differently."""
_LONGEST_NAME = 200
_MOST_NAMES = 50
_SIGNS = {"pass": "✅", "fail": "❌", "undecided": "⚠️"}


def says_something(result: TreeResult) -> bool:
    """Whether the result of a tree is worth a comment."""
    found = result.difference
    if found is None or found.verdict != "pass":
        return True
    edits = found.policy_changes or found.new_waivers
    return bool(edits or found.datasets or found.entities or found.damaged or found.remarks)


def body_of(results: Sequence[TreeResult], *, run_url: str = "", most: int = MOST) -> str:
    """Build the whole comment, worst trees first."""
    more = f"**There is more:** [the run]({run_url}) has all of it." if run_url else _MORE
    heard = sorted(filter(says_something, results), key=lambda one: _RANKS[_verdict(one)])
    told = heard or list(results[:1])
    is_one = len(results) == 1
    head = [] if is_one else [_head(results), ""]
    sections = [_section(one, has_title=not is_one) for one in told]
    if heard and (quiet := [one for one in results if one not in heard]):
        sections.append(f"No dataset changed in {_list_names(quiet)}.\n")
    foot = f"\n<sub>[the run]({run_url})</sub>\n" if run_url else ""
    room = most - len("\n".join(head)) - len(foot) - len(sections)
    rooms = shares(list(map(len, sections)), room)
    fitting = (
        shorten_markdown(text, width, more) for text, width in zip(sections, rooms, strict=True)
    )
    return shorten_markdown("\n".join([*head, *fitting]) + foot, most, more)


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
    title = f"---\n\n**Tree {escape_markdown_code(_short(result.name))}**\n\n" if has_title else ""
    return title + "\n".join(_result_lines(result))


def _result_lines(result: TreeResult) -> Iterator[str]:
    if result.difference is not None:
        yield diff_formats.FORMATS["markdown"](result.difference, diff_formats.DiffStyle())
        return
    yield f"## {_SIGNS['undecided']} Undecided: there is nothing to judge by"
    yield ""
    yield escape_markdown(result.problem or "nothing is known")
    if result.hint:
        yield from ("", f"What to do: {escape_markdown(result.hint)}")
    yield ""


def _list_names(results: Sequence[TreeResult]) -> str:
    named = [escape_markdown_code(_short(one.name)) for one in results[:_MOST_NAMES]]
    more = len(results) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"
