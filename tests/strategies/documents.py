"""Stored documents that obey every law."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter, for_type_by_name

from lumos_snap.canonical.checks import shown_name
from lumos_snap.model.curated import Owner
from lumos_snap.model.entities import Domain, Group, Job, Property, Tag, Term, User
from lumos_snap.model.fieldpath import Part, Step, format_path
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Partition, Schema, Snapshot
from lumos_snap.model.types import Definition, Field
from lumos_snap.shape import Value, document_of, keys_of
from tests.strategies.texts import short_texts, words
from tests.strategies.types import types
from tests.strategies.urns import urns
from tests.strategies.values import ATTRIBUTES, CUSTOM, built, values


@st.composite
def _owners(draw: st.DrawFn) -> Owner:
    kind = draw(st.sampled_from(("user", "group")))
    others = {"type": draw(st.none() | short_texts), "description": draw(st.none() | short_texts)}
    return Owner(**{kind: draw(short_texts)}, **others)


CUSTOM[Owner] = _owners


@st.composite
def _schemas(draw: st.DrawFn) -> Schema:
    defined = tuple(draw(st.lists(words, max_size=2, unique=True)))
    fields = tuple(draw(st.lists(types(Field, 3, defined), max_size=5)))
    definitions = tuple(replace(draw(types(Definition, 2, defined)), name=name) for name in defined)
    keys = ["primary_key", "unique", "foreign_keys"]  # they name columns that are there
    without = ["fields", "definitions", *(keys if fields else [])]
    rest: Schema = draw(built(Schema, without=without))
    paths = [format_path((Part(Step.MEMBER, field.name),)) for field in fields]
    if paths:
        key = draw(st.lists(st.sampled_from(paths), max_size=2))
        rest = replace(rest, primary_key=tuple(key))
    return replace(rest, fields=fields, definitions=definitions)


CUSTOM[Schema] = _schemas


@st.composite
def _snapshots(draw: st.DrawFn) -> Snapshot:
    urn = draw(urns)
    rest: Snapshot = draw(_any_snapshot)
    names = {field.name for field in rest.schema.fields}
    partitions = [p for p in rest.storage.partitioning if _may_stand(p, names)]
    return replace(
        rest,
        urn=str(urn),
        platform=urn.platform,
        name=shown_name(urn),
        storage=replace(rest.storage, partitioning=tuple(partitions)),
    )


def _may_stand(partition: Partition, names: set[str]) -> bool:
    return partition.source is not None or partition.name not in names


_identity = {"urn": st.just("lumos://a/b"), "platform": st.just("a"), "name": st.just("b")}
ATTRIBUTES.update({(Snapshot.__name__, name): given for name, given in _identity.items()})
_any_snapshot = built(Snapshot, often=("schema", "storage", "lineage", "ownership", "governance"))

snapshots = _snapshots()
observations = values(Observation)
users = values(User)
groups = values(Group)
terms = values(Term)
domains = values(Domain)
jobs = values(Job)
tags = values(Tag)
properties = values(Property)

STORED: dict[type[Value], st.SearchStrategy[Any]] = {
    Snapshot: snapshots,
    Observation: observations,
    User: users,
    Group: groups,
    Term: terms,
    Domain: domains,
    Job: jobs,
    Tag: tags,
    Property: properties,
}
"""Every class of document, with its strategy."""

documents = st.one_of(*STORED.values())


def stored_classes(cls: type) -> tuple[type, ...]:
    """A class and all that its keys hold."""
    found: list[type] = [cls]
    for each in found:
        inner = [key.item for key in keys_of(each).values() if key.item is not None]
        found += [item for item in dict.fromkeys(inner) if item not in found]
    return tuple(found)


def _legible(value: Value, printer: RepresentationPrinter, _cycle: bool) -> None:
    printer.text(f"{type(value).__name__}: {json.dumps(document_of(value))}")


def _classes(cls: type[Value]) -> Iterator[type[Value]]:
    yield cls
    for inner in cls.__subclasses__():
        yield from _classes(inner)


for each in _classes(Value):  # a failing example shows what is there, not all that is absent
    for_type_by_name(each.__module__, each.__name__, _legible)
