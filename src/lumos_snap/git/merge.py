"""Git's own merge of three texts, for what nothing else can merge."""

from pathlib import Path

from lumos_snap.git import process

_MOST_CONFLICTS = 127  # git counts no further; larger codes are failures


def merge_texts(base: Path, ours: Path, theirs: Path, *, marker_size: int) -> bytes | None:
    """The merged text, with conflict markers where lines clash; None where git cannot merge."""
    labels = ("-L", "ours", "-L", "base", "-L", "theirs")
    files = [str(path.absolute()) for path in (ours, base, theirs)]
    size = f"--marker-size={marker_size}"
    place = process.Detached(ours.absolute().parent)
    given = process.ask(place, "merge-file", "-p", size, *labels, "--", *files)
    return given.out if 0 <= given.code <= _MOST_CONFLICTS else None
