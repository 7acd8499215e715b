"""The sticky comment of a pull request: sections of all trees, shortened to GitHub's limit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote

from lumos_snap.ci.environment import Run
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


# The sticky comment on a pull request: one for each configuration.


_MARK = re.compile(r"<!-- lumos-snap (\S+)(?: run=(\d+)\.(\d+))? -->")
_LONGEST_MARKER_NAME = 120


@dataclass(frozen=True, slots=True)
class Comment:
    """An existing comment."""

    id: int
    body: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class CommentDraft:
    """The wanted content of a comment."""

    name: str
    """The configuration of the gate."""
    run: Run
    text: str
    says_something: bool
    """Whether the content is worth a new comment."""

    @property
    def body(self) -> str:
        """The text after the mark that identifies the comment."""
        return f"{mark(self.name, self.run)}\n{self.text}"


@dataclass(frozen=True, slots=True)
class CommentStep:
    """The next change to the comments."""

    kept: Comment | None = None
    create: bool = False
    edit: Comment | None = None
    delete: tuple[Comment, ...] = ()
    """Duplicate comments, created by concurrent runs."""
    is_late: bool = False
    """Whether a later run has already commented; its text stays."""


def mark(name: str, run: Run) -> str:
    """The invisible mark before the text of a comment."""
    since = f" run={run.number}.{run.attempt}" if run.number else ""
    return f"<!-- lumos-snap {_escape_html_comment(name)}{since} -->"


def _escape_html_comment(name: str) -> str:
    """Escape the name so that it cannot end an HTML comment."""
    plain = quote(name.encode("utf-8", "surrogatepass"), safe="/._").replace("-", "%2D")
    if len(plain) <= _LONGEST_MARKER_NAME:
        return plain
    return f"{plain[:_LONGEST_MARKER_NAME]}..{sha256(plain.encode()).hexdigest()[:16]}"


def next_step(there: Sequence[Comment], wanted: CommentDraft) -> CommentStep:
    """Decide how to update our comments: the oldest is kept, all others are deleted.

    No lock is needed: whichever of two runs reads the comments last leaves one comment, the same
    that the other run keeps.
    """
    ours = sorted(
        (one for one in there if _name(one) == _escape_html_comment(wanted.name)),
        key=lambda one: one.id,
    )
    if not ours:
        return CommentStep(create=wanted.says_something)
    kept, *others = ours
    later = [one for one in ours if _age(one) > wanted.run.age] if wanted.run.number else []
    says_it = kept.body.replace("\r\n", "\n").rstrip() == wanted.body.rstrip()
    return CommentStep(
        kept=kept,
        edit=None if later or says_it else kept,
        delete=tuple(one for one in others if one not in later),
        is_late=bool(later),
    )


def _name(comment: Comment) -> str | None:
    found = _MARK.match(comment.body)
    return found.group(1) if found else None


def _age(comment: Comment) -> tuple[int, ...]:
    """Sort key of the run that wrote a comment; one without a run comes first."""
    found = _MARK.match(comment.body)
    return tuple(map(int, found.group(2, 3))) if found and found.group(2) else ()
