"""The repository's configuration, and the attributes of paths."""

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path

from lumos_snap.errors import OutsideError
from lumos_snap.git import process
from lumos_snap.git.location import links_to
from lumos_snap.git.repository import Repository, is_tracked


def settings(repository: Repository) -> Mapping[str, str]:
    """The settings of the local configuration; of repeated ones, the last."""
    listing = process.run(repository, "config", "--local", "--list", "-z")
    items = (one.partition("\n") for one in listing.decode("utf-8", "surrogateescape").split("\0"))
    return {name: value for name, _, value in items if name}


def configure(repository: Repository, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Add missing settings and return their names; existing ones stay unchanged."""
    present = settings(repository)
    missing = [name for name in wanted if name not in present]
    for name in missing:
        process.run(repository, "config", "--local", name, wanted[name])
    return tuple(missing)


def attributes(repository: Repository, path: str, names: Sequence[str]) -> Mapping[str, str]:
    """The attributes of a path below the repository's folder, by name."""
    listing = process.run(repository, "check-attr", "-z", *names, "--", repository.top_path(path))
    cells = listing.decode("utf-8", "surrogateescape").split("\0")
    return dict(zip(cells[1::3], cells[2::3], strict=False))


def user_name(repository: Repository) -> str | None:
    """The user name from git's configuration or environment."""
    answer = process.ask(repository, "var", "GIT_AUTHOR_IDENT")
    return answer.out.decode("utf-8", "replace").partition(" <")[0].strip() or None


@functools.cache
def refuse_foreign_configuration(repository: Repository) -> None:
    """Raise where git reads settings from a file of the work tree, as by `include.path`.

    Settings can name programs, also for credentials and connections, and every pull request could
    change them. Commands that only read run with all programs switched off.
    """
    listing = process.run(repository, "config", "--list", "--name-only", "--show-origin", "-z")
    origins = listing.decode("utf-8", "surrogateescape").split("\0")[::2]
    for origin in dict.fromkeys(origins):
        kind, _, name = origin.partition(":")
        if kind == "file" and _is_content(repository, repository.folder / name):
            raise OutsideError(
                f"git takes settings from {name}, which any commit can change",
                hint="move them to .git/config or ~/.gitconfig: see `git config --show-origin -l`",
            )


def _is_content(repository: Repository, file: Path) -> bool:
    """Whether a commit can change a file: the file, or a link on the way to it, is tracked.

    Git's own folder is never tracked.
    """
    if repository.work_tree is None:
        return False
    top = repository.work_tree.resolve()
    below = (one for one in (*links_to(file), file.resolve()) if one.is_relative_to(top))
    return any(is_tracked(repository, one) for one in below)
