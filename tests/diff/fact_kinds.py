"""Every subject and action that facts can have, derived from the model for completeness."""

from collections.abc import Iterator

from lumos_snap.diff.columns import HEAD, NESTED
from lumos_snap.diff.fact import Action
from lumos_snap.diff.snapshots import DATASET, IDENTITY
from lumos_snap.diff.walk import is_whole
from lumos_snap.model.snapshot import Partition, Snapshot
from lumos_snap.model.types import Branch, DataType, Definition, Element, Field, MapKey
from lumos_snap.schema import Holds, Key, NameKind, keys_of

Subject = tuple[str, Action]

_LEAF = (Action.ADDED, Action.REMOVED, Action.CHANGED)
_MEMBER = (Action.ADDED, Action.REMOVED)
_NODES: dict[str, type[DataType]] = {
    "field": Field,
    "element": Element,
    "value": Element,
    "key": MapKey,
    "branch": Branch,
    "partition": Partition,
    "definition": Definition,
}


def subjects() -> frozenset[Subject]:
    """Every pair of subject and action that a diff of two snapshots can produce."""
    return frozenset(
        (
            *((DATASET, action) for action in (*_MEMBER, Action.RENAMED)),
            *_of_columns(),
            *_of_object("", Snapshot, frozenset(IDENTITY)),
        )
    )


def _of_columns() -> Iterator[Subject]:
    for name in ("field", "partition"):
        yield from ((name, action) for action in _MEMBER)
        yield from ((name, action) for action in (Action.RENAMED, Action.REORDERED))
    yield "field", Action.MOVED
    yield "field.name", Action.CHANGED
    yield from (("branch", action) for action in (*_MEMBER, Action.REORDERED))
    yield from (("definition", action) for action in _MEMBER)
    for name, cls in _NODES.items():
        yield f"{name}.type", Action.CHANGED
        for key in keys_of(cls).values():
            is_name = key.name == "name" and cls is not Branch
            if key.name not in (*HEAD, *NESTED) and not is_name:
                yield from _of_key(f"{name}.{key.name}", key)


def _of_object(prefix: str, cls: type, skipped: frozenset[str] = frozenset()) -> Iterator[Subject]:
    for key in keys_of(cls).values():
        subject = f"{prefix}.{key.name}" if prefix else key.name
        if key.name not in skipped:
            yield from _of_key(subject, key)


def _of_key(subject: str, key: Key) -> Iterator[Subject]:
    if key.name == "symbols":
        yield from ((subject, action) for action in (*_MEMBER, Action.REORDERED))
    elif key.item is not None and issubclass(key.item, DataType):
        return  # columns have subjects of their own
    elif key.holds is Holds.OBJECT:
        assert key.item is not None
        yield from ((subject, action) for action in (_MEMBER if is_whole(key) else ()))
        yield from _of_object(subject, key.item)
    elif key.holds is Holds.OBJECTS and key.set_by:
        yield from ((subject, action) for action in _MEMBER)
        yield from _of_items(subject, key)
    elif key.holds is Holds.SCALARS and key.set_by is not None:
        yield from ((subject, action) for action in _MEMBER)
    else:
        yield from ((subject, action) for action in _actions(key))


def _of_items(subject: str, key: Key) -> Iterator[Subject]:
    """The possible changes of an item; identifying values change only with renamed columns."""
    assert key.item is not None
    for inner in keys_of(key.item).values():
        if inner.name not in (key.set_by or ()):
            yield from _of_key(f"{subject}.{inner.name}", inner)
        elif inner.name != "from" and inner.scalar and inner.scalar.names is NameKind.FIELD:
            yield f"{subject}.{inner.name}", Action.CHANGED


def _actions(key: Key) -> tuple[Action, ...]:
    return (Action.CHANGED,) if key.is_required and key.holds is Holds.SCALAR else _LEAF
