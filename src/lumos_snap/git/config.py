"""The repository's own settings, and what attributes say of a path."""

from collections.abc import Mapping, Sequence

from lumos_snap.git import process
from lumos_snap.git.repository import Repository


def settings(repository: Repository) -> Mapping[str, str]:
    """Every setting of the repository's own configuration; of one that repeats, the last."""
    listing = process.run(repository, "config", "--local", "--list", "-z")
    items = (one.partition("\n") for one in listing.decode("utf-8", "surrogateescape").split("\0"))
    return {name: value for name, _, value in items if name}


def configure(repository: Repository, wanted: Mapping[str, str]) -> tuple[str, ...]:
    """Add the settings that are missing, and say which; what a person has set stays."""
    present = settings(repository)
    missing = [name for name in wanted if name not in present]
    for name in missing:
        process.run(repository, "config", "--local", name, wanted[name])
    return tuple(missing)


def attributes(repository: Repository, path: str, names: Sequence[str]) -> Mapping[str, str]:
    """What `.gitattributes` say of a path below the repository's folder, by name."""
    listing = process.run(repository, "check-attr", "-z", *names, "--", repository.top_path(path))
    cells = listing.decode("utf-8", "surrogateescape").split("\0")
    return dict(zip(cells[1::3], cells[2::3], strict=False))


def user_name(repository: Repository) -> str | None:
    """Who commits here, by git's configuration or environment."""
    answer = process.ask(repository, "var", "GIT_AUTHOR_IDENT")
    return answer.out.decode("utf-8", "replace").partition(" <")[0].strip() or None
