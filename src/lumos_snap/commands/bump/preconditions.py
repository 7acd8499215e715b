"""A tree that may be released: nothing in it is uncommitted but what a release itself wrote."""

from collections.abc import Mapping

from lumos_snap.commands.bump.last_release import Releases, only_versions
from lumos_snap.config import CONFIG_NAME
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError
from lumos_snap.git.tags import unclean
from lumos_snap.tree import Changed, Form, Tree
from lumos_snap.versioning import Naming
from lumos_snap.versioning.release_record import cloud_version_of

_WATCHED = ("snapshots", "entities", CONFIG_NAME)
"""What decides a release; what was measured plays no part in it."""
_FEW = 5


def unfinished(
    tree: Tree,
    releases: Releases,
    wanted: Mapping[str, bytes],
) -> Mapping[str, bytes]:
    """The files in which an earlier run left a release that was never committed.

    They are what this release would write, or what one of another HEAD wrote. Raises `LumosError`
    where anything else is not committed.
    """
    repository, committed = releases.repository, releases.tree.files
    dirty = unclean(repository, _WATCHED)
    known = [path for path in dirty if committed.form(path) is Form.FILE]
    before = dict(committed.read_all(known))
    newest = max(releases.recorded.paths, default=0)
    left: dict[str, bytes] = {}
    foreign: list[str] = []
    for path in dirty:
        held, was = tree.files.read(path), before.get(path)
        is_older = _writes_versions(path, was, held) and _number(held, releases.naming) > newest
        if held is not None and (is_older or held == wanted.get(path)):
            left[path] = held
        else:
            foreign.append(path)
    if foreign:
        raise _dirty(foreign)
    return left


def _writes_versions(path: str, was: bytes | OSError | None, held: bytes | None) -> bool:
    if isinstance(was, OSError) or was == held:
        return False
    return only_versions(Changed(path, was, held, Form.FILE, Form.FILE))


def _number(held: bytes | None, naming: Naming) -> int:
    """The number of the release that a file states and tells of last; 0 where it does not."""
    document = loads(held or b"{}")
    cloud = cloud_version_of(document)
    history = document["versioning"].get("history", []) if cloud else []
    told = history[-1].get("cloud_version") if history else None
    return naming.number_of_cloud(cloud) or 0 if cloud is not None and cloud == told else 0


def _dirty(paths: list[str]) -> LumosError:
    some = ", ".join(paths[:_FEW])
    more = f" and {len(paths) - _FEW} more" if len(paths) > _FEW else ""
    return LumosError(
        f"not committed: {some}{more}",
        hint="a release releases what is committed: commit or stash first",
    )
