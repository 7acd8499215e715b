"""Stored documents that obey every law."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st
from hypothesis.vendor.pretty import RepresentationPrinter, for_type_by_name

from lumos_snap.canonical.rule_checks import displayable_name, find_repeated_columns
from lumos_snap.model.curated_metadata import Owner
from lumos_snap.model.entities import Domain, Group, Job, Property, Tag, Term, User
from lumos_snap.model.field_path import Part, Step, format_path, has_column
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Schema, Snapshot, Storage
from lumos_snap.model.types import Definition, Field
from lumos_snap.schema import Value, document_of, keys_of
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
    return replace(
        rest,
        urn=str(urn),
        platform=urn.platform,
        name=displayable_name(urn),
        storage=_fitting(rest.storage, rest.schema),
    )


def _fitting(storage: Storage, schema: Schema) -> Storage:
    """The same without what names no column; names that repeat are those of a file."""
    names = {field.name for field in schema.fields}
    columns = {"schema": document_of(schema)}
    partitions = tuple(
        one
        for one in storage.partitioning
        if (one.name not in names if one.source is None else has_column(columns, one.source))
    )
    sorting = tuple(one for one in storage.sorting if has_column(columns, one.field))
    buckets = storage.bucketing
    if buckets is not None and not all(has_column(columns, one) for one in buckets.columns):
        buckets = None
    form = "parquet" if any(find_repeated_columns(columns)) else None
    return replace(
        storage,
        partitioning=partitions,
        sorting=sorting,
        bucketing=buckets,
        format=form or storage.format,
    )


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
