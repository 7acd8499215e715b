"""What all snapshots say of their lineage: at a commit by one search, in a folder by reading."""

from collections.abc import Iterator, Sequence

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.git import Kind, Repository, blobs, names
from lumos_snap.git.grep import Matches, fetch_all, matches, within
from lumos_snap.lineage.edges import Broken, Said, Stated, in_layout, is_snapshot, placed, read
from lumos_snap.tree.files import Files

# The canonical layout gives each edge, and each column of one, a line: these are all lines from
# the urn of a dataset to the end of its lineage, and few others.
_TEXTS = (
    '"urn"',
    '"lineage"',
    '    "upstream": [',
    '        {"from": ',
    '        {"to": ',
    "      ]}",
)
_URN = b'  "urn": "'
_LEAST = 3
"""Lines of a lineage: its own, that of its list, and one for an edge."""


def said_at(repository: Repository, tree: str, *, fetch: bool) -> Iterator[Said]:
    """What each snapshot of a tree object says; only those of another layout are read whole."""
    entries = names(within(repository), tree)
    wanted = {
        path: entry.oid
        for path, entry in entries.items()
        if entry.kind is Kind.FILE and is_snapshot(path)
    }
    fetch_all(repository, tuple(wanted.values()), fetch=fetch)
    doubtful = dict(wanted)
    for found in matches(repository, tree, _TEXTS):
        said = _quick(found) if found.path in wanted else None
        if said is not None:
            del doubtful[found.path]
            yield placed(found.path, said)
    contents = blobs(repository, doubtful.values(), fetch=fetch)
    for path, (_, raw) in zip(doubtful, contents, strict=True):
        yield read(path, raw)


def _quick(found: Matches) -> Stated | None:
    """What the lines say, where they are those of the canonical layout."""
    lines = found.lines
    mentions = [at for at, line in enumerate(lines) if b'"lineage"' in line]
    if not lines[0].startswith(_URN) or len(mentions) > 1:
        return None
    if not mentions:
        return in_layout(b"\n" + lines[0])
    start = mentions[0]
    end = _end_of_run(found.numbers, start)
    if end < start + _LEAST:  # what is empty is left out, so an edge is on lines of other forms
        return None
    return in_layout(b"".join((b"\n", lines[0], b"\n", *lines[start:end], b"    ]")))


def _end_of_run(numbers: Sequence[int], start: int) -> int:
    """Where lines that follow each other end."""
    end = start + 1
    while end < len(numbers) and numbers[end] == numbers[end - 1] + 1:
        end += 1
    return end


def said_in(files: Files) -> Iterator[tuple[str, Said]]:
    """What each snapshot in a folder says, and its path below that of snapshots."""
    below = SNAPSHOT.folder + "/"
    for path, content in files.read_all(files.found((SNAPSHOT.folder,)).documents):
        name = path.removeprefix(below)
        yield name, Broken(name) if isinstance(content, OSError) else read(name, content)
