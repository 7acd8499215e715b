"""Who owns datasets, and how much they matter: read of those alone that somebody asks about."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.documents.limits import loads
from lumos_snap.errors import LumosError
from lumos_snap.lineage.impact import Known
from lumos_snap.tree.files import CommitFiles, Files
from lumos_snap.tree.path_kinds import Form

_TIER = re.compile(r"tier(?:[-_.:/ ]\S.*|[0-9]\S*)", re.IGNORECASE)
_UNKNOWN = Known()


def known_of(files: Files, urns: Iterable[str]) -> Callable[[str], Known]:
    """What the snapshots of some datasets say of them; nothing of those that cannot be read."""
    paths = {path: urn for urn in sorted(set(urns)) if (path := _path(urn))}
    if isinstance(files, CommitFiles):  # only it minds being asked for what is not there
        paths = {path: urn for path, urn in paths.items() if files.form(path) is Form.FILE}
    found = {
        paths[path]: _known(content)
        for path, content in files.read_all(paths)
        if isinstance(content, bytes)
    }
    return lambda urn: found.get(urn, _UNKNOWN)


def _path(urn: str) -> str:
    try:
        return SNAPSHOT.path(urn)
    except LumosError:
        return ""


def _known(raw: bytes) -> Known:
    """A broken file is named elsewhere: here it says nothing."""
    try:
        document = loads(raw)
    except orjson.JSONDecodeError:
        return _UNKNOWN
    owners = [_map(one) for one in _list(_map(_map(document).get("ownership")).get("owners"))]
    governance = _map(_map(document).get("governance"))
    tags = filter(None, map(_text, _list(governance.get("tags"))))
    return Known(
        groups=_named(owners, "group"),
        users=_named(owners, "user"),
        domain=_text(governance.get("domain")),
        tier=next(filter(_TIER.fullmatch, tags), None),
    )


def _named(owners: Iterable[Mapping[str, Any]], role: str) -> tuple[str, ...]:
    found = (_text(one.get(role)) for one in owners)
    return tuple(dict.fromkeys(one for one in found if one))


# A file that nobody has judged may hold anything anywhere.


def _map(held: Any) -> Mapping[str, Any]:
    return held if isinstance(held, dict) else {}


def _list(held: Any) -> Sequence[Any]:
    return held if isinstance(held, list) else ()


def _text(held: Any) -> str | None:
    return held if isinstance(held, str) and held else None
