"""Links, submodules and files that a pull request can place where a command reads or writes.

A tracked link is content, like any tracked file: a commit can point it anywhere. Untracked links
belong to the user and are followed.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import process
from lumos_snap.git.diff import records
from lumos_snap.git.merge_base import commit_of
from lumos_snap.git.repository import Repository, confirm_repository, is_tracked, links_to, tops_of

_LINK, _SUBMODULE = "120000", "160000"


def refuse_committed_links(path: Path) -> None:
    """Raise where a path is, or leads through, a link that a repository tracks."""
    for link in links_to(path):
        for repository in _around(link.parent):
            if is_tracked(repository, link):
                raise _link_error(path, link, repository)


def refuse_committed_links_in(folder: Path) -> None:
    """Raise where a tracked link in a folder leads out of it."""
    real = folder.resolve()
    for repository in _around(real):
        for name, mode in _index_modes(repository, real).items():
            link = repository.folder / name
            if mode == _LINK and link.is_symlink() and not link.resolve().is_relative_to(real):
                raise _link_error(link, link, repository)


def _around(folder: Path) -> Iterator[Repository]:
    """The repositories that contain a folder; none where git is not installed."""
    from shutil import which  # noqa: PLC0415 - slow to load, and a diff asks for no links

    if which("git"):
        yield from filter(None, map(confirm_repository, tops_of(folder)))


def _link_error(path: Path, link: Path, repository: Repository) -> OutsideError:
    name = link.relative_to(repository.folder)
    return OutsideError(
        f"{path}: {name} is a link in the repository {repository.folder}, "
        "and such links are not followed",
        hint=f"replace the link by what it leads to, or `git rm --cached {name}` if it is your own",
    )


def refuse_committed(path: Path) -> None:
    """Raise where a file that only this machine should write was committed."""
    for repository in _around(path.parent) if os.path.lexists(path) else ():
        if is_tracked(repository, path):
            name = path.relative_to(repository.folder)
            raise OutsideError(
                f"{path}: is committed to the repository, so it is not trusted",
                hint=f"`git rm -r --cached {name}`: Lumos writes this file itself, on each machine",
            )


def find_linked_steps(repository: Repository, commit: str) -> tuple[str, ...]:
    """Folders from the top to the repository's folder that were links or submodules at a commit."""
    parts = repository.prefix.split("/")[:-1]
    if not parts:
        return ()
    steps = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    listing = process.run(repository, "ls-tree", "-z", "--full-tree", commit, "--", *steps)
    rows = (line.partition("\t") for line in records(listing))
    return tuple(name for about, _, name in rows if about[:6] in (_LINK, _SUBMODULE))


def refuse_new_submodule(
    repository: Repository, base: str, *, announce: Callable[[str], None], fetch: bool
) -> None:
    """Raise where the repository is a submodule that the base of the outer repository lacks.

    A submodule has its own history, which does not contain what it replaced.
    """
    folder = repository.work_tree
    if folder is None:
        return
    for outer in _around(folder.parent):
        name = folder.relative_to(outer.folder).as_posix()
        if _SUBMODULE not in _index_modes(outer, folder).values():
            continue
        if not _was_submodule(outer, name, base, announce, fetch=fetch):
            raise OutsideError(
                f"{folder}: is a submodule that {base} of {outer.folder} does not have, "
                "so nothing can be compared with what was there before",
                hint="merge the new submodule first, then compare in it",
            )


def _was_submodule(
    outer: Repository, name: str, base: str, announce: Callable[[str], None], *, fetch: bool
) -> bool:
    try:
        commit = commit_of(outer, base, announce=announce, fetch=fetch).commit
    except LumosError:
        return True  # the outer repository lacks this base and decides nothing
    listing = process.run(outer, "ls-tree", "-z", "--full-tree", commit, "--", name)
    return any(row.startswith(_SUBMODULE) for row in records(listing))


def _index_modes(repository: Repository, path: Path) -> dict[str, str]:
    """Index modes at and below a path, by path from the top."""
    arguments = ("ls-files", "-z", "--stage", "--full-name", "--", str(path))
    rows = (line.partition("\t") for line in records(process.run(repository, *arguments)))
    return {name: about[:6] for about, _, name in rows}
