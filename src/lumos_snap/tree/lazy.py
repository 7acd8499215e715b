"""What only some work with a tree needs: loaded then, for a diff is over sooner without it."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lumos_snap.canonical.document_kinds import DocumentKind
from lumos_snap.schema import Value

if TYPE_CHECKING:
    from lumos_snap.model.snapshot import Snapshot
    from lumos_snap.tree.writer import Writer

def snapshots() -> "type[Snapshot]":
    """The class of snapshots, with all that is in one."""
    from lumos_snap.model.snapshot import Snapshot  # noqa: PLC0415

    return Snapshot


def sound(path: str, content: bytes | OSError, cls: type[V], kind: DocumentKind) -> V:
    """The value in a file of a tree; raises what is wrong with it."""
    from lumos_snap.tree import validate  # noqa: PLC0415

    return validate.sound(path, content, cls, kind)


def checked(value: Value, environment: str | None) -> tuple[str, bytes]:
    """Path and bytes of a value; raises what would be wrong with the file."""
    from lumos_snap.tree import validate  # noqa: PLC0415

    return validate.checked(value, environment)


def writing(root: Path) -> "AbstractContextManager[Writer]":
    """The right to write to a tree, for as long as it lasts."""
    from lumos_snap.tree import writer as lock  # noqa: PLC0415

    return lock.writing(root)
