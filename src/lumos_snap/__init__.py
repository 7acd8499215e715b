"""Lumos Snapshots: metadata as code for data platforms.

    import lumos_snap as ls

    tree = ls.open_tree(".")
    clicks = tree["lumos://s3/data-lake-prod/raw/events/user_clicks"]
    before = tree.at("main")

Everything is loaded when it is first used.
"""

from typing import TYPE_CHECKING

from lumos_snap._lazy import lazily
from lumos_snap._version import FORMAT_VERSION, __version__

if TYPE_CHECKING:
    from lumos_snap.canonical.api import decode, digest, encode, path_of, urn_of
    from lumos_snap.errors import LumosError, OutsideError
    from lumos_snap.model.field_path import format_path, parse_path
    from lumos_snap.model.observation import Observation
    from lumos_snap.model.snapshot import Snapshot
    from lumos_snap.model.type_syntax import format_type, parse_type
    from lumos_snap.model.urn import Urn, parse_urn
    from lumos_snap.tree import Tree, open_tree

_HOMES = {
    "LumosError": "lumos_snap.errors",
    "Observation": "lumos_snap.model.observation",
    "OutsideError": "lumos_snap.errors",
    "Snapshot": "lumos_snap.model.snapshot",
    "Tree": "lumos_snap.tree",
    "Urn": "lumos_snap.model.urn",
    "decode": "lumos_snap.canonical.api",
    "digest": "lumos_snap.canonical.api",
    "encode": "lumos_snap.canonical.api",
    "format_path": "lumos_snap.model.field_path",
    "format_type": "lumos_snap.model.type_syntax",
    "open_tree": "lumos_snap.tree",
    "parse_path": "lumos_snap.model.field_path",
    "parse_type": "lumos_snap.model.type_syntax",
    "parse_urn": "lumos_snap.model.urn",
    "path_of": "lumos_snap.canonical.api",
    "urn_of": "lumos_snap.canonical.api",
}

__all__ = [
    "FORMAT_VERSION",
    "LumosError",
    "Observation",
    "OutsideError",
    "Snapshot",
    "Tree",
    "Urn",
    "__version__",
    "decode",
    "digest",
    "encode",
    "format_path",
    "format_type",
    "open_tree",
    "parse_path",
    "parse_type",
    "parse_urn",
    "path_of",
    "urn_of",
]


__getattr__ = lazily(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
