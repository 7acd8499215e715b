"""Each law: what breaks it, where that is shown, and what comes close without breaking it."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.read import read
from lumos_snap.canonical.rules import ALL_RULES, COMMON_RULES, FILE_RULES, SNAPSHOT_RULES, URN
from lumos_snap.documents import Position
from lumos_snap.model.entities import Group, Job, Term
from lumos_snap.model.export import Export
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import NameKind, keys_of
from tests.strategies.documents import STORED, stored_classes

CLASSES = sorted({inner for cls in (*STORED, Export) for inner in stored_classes(cls)}, key=str)
BASE = {
    "lumos_version": FORMAT_VERSION,
    "urn": "lumos://s3/lake/clicks",
    "name": "clicks",
    "platform": "s3",
}
ID = {"name": "id", "type": "STRING", "nullable": False}
DAY = {"name": "day", "type": "DATE", "nullable": True}


@dataclass(frozen=True)
class Case:
    """A document that is right but for `keys`, and a piece of its text where the breach stands."""

    law: str
    says: str
    keys: dict[str, Any]
    at: str = ""  # the place is that of this text's first occurrence
    message: str = ""
    cls: type = Snapshot

    @property
    def raw(self) -> bytes:
        base = BASE if self.cls is Snapshot else {"lumos_version": FORMAT_VERSION}
        return json.dumps({**base, **self.keys}, indent=1).encode()


def fields(*items: Any, **more: Any) -> dict[str, Any]:
    return {"schema": {"fields": list(items), **more}}


def upstream(*edges: Any) -> dict[str, Any]:
    return {"lineage": {"upstream": list(edges)}}


def nested(levels: int) -> dict[str, Any]:
    """A field whose type has so many levels."""
    held: dict[str, Any] = {"type": "INT64", "nullable": True}
    for _ in range(levels - 1):
        held = {"type": "ARRAY", "nullable": True, "element": held}
    return {"name": "deep", **held}


BREACHES = [
    Case(
        "repeated-item",
        "one owner twice",
        {
            "ownership": {
                "owners": [{"user": "a"}, {"user": "b"}, {"user": "a", "description": "x"}]
            }
        },
        at='{\n    "user": "a",\n    "desc',
        message="user `a` stands in `owners` more than once",
    ),
    Case(
        "repeated-item",
        "words about one field twice",
        {"documentation": {"fields": [{"path": "a", "title": "x"}, {"path": "a", "title": "y"}]}},
        at='{\n    "path": "a",\n    "title": "y"',
        message="path `a` stands in `fields` more than once",
    ),
    Case(
        "repeated-item",
        "one edge twice",
        upstream(
            {"urn": "lumos://s3/a", "via": "j"}, {"urn": "lumos://s3/a", "via": "j", "share": "1"}
        ),
        at='{\n    "urn": "lumos://s3/a",\n    "via": "j",\n    "share"',
    ),
    Case(
        "repeated-item",
        "one column of an edge twice",
        upstream(
            {
                "urn": "lumos://s3/a",
                "columns": [{"to": "a", "confidence": "0"}, {"to": "a", "confidence": "1"}],
            }
        ),
        at='{\n      "to": "a",\n      "confidence": "1"',
        message="to `a` stands in `columns` more than once",
    ),
    Case(
        "repeated-item",
        "one column of an edge twice, in sets that are in no order",
        upstream(
            {
                "urn": "lumos://s3/b",
                "columns": [{"to": "c"}, {"to": "b"}, {"from": "x", "to": "c"}],
            },
            {
                "urn": "lumos://s3/a",
                "columns": [{"to": "b"}, {"to": "c"}, {"to": "b"}, {"to": "a"}],
            },
        ),
        at='{\n      "to": "b"\n     },\n     {\n      "to": "a"',
    ),
    Case(
        "repeated-item",
        "one link of a job twice",
        {"id": "j", "links": [{"url": "u"}, {"url": "u", "label": "l"}]},
        at='{\n   "url": "u",\n',
        cls=Job,
    ),
    Case("urn", "a urn with another spelling", {"urn": "lumos://s3/lake/%63licks"}, at='"urn"'),
    Case(
        "urn",
        "another platform than the urn's",
        {"platform": "gcs"},
        at='"platform"',
        message="the urn says platform `s3`, not `gcs`",
    ),
    Case(
        "urn",
        "another name than the urn's",
        {"name": "Clicks"},
        at='"name"',
        message="the urn says name `clicks`, not `Clicks`",
    ),
    Case(
        "urn",
        "an observation's urn with another spelling",
        {"urn": "lumos://s3/%61"},
        at='"urn"',
        cls=Observation,
    ),
    Case(
        "reference",
        "an upstream urn with another spelling",
        upstream({"urn": "lumos://s3/%61"}),
        at='"urn": "lumos://s3/%61"',
    ),
    Case(
        "reference",
        "a foreign key to a urn with another spelling",
        fields(ID, foreign_keys=[{"urn": "lumos://s3/%61", "columns": ["id"]}]),
        at='"urn": "lumos://s3/%61"',
    ),
    Case(
        "reference",
        "a former urn with another spelling",
        {"contract": {"renamed_from": "lumos://s3/%61"}},
        at='"renamed_from"',
    ),
    Case(
        "reference",
        "a successor with another spelling",
        {"contract": {"replaced_by": "lumos://s3/%61"}},
        at='"replaced_by"',
    ),
    Case(
        "reference",
        "the second input of a job with another spelling",
        {"id": "j", "inputs": ["lumos://s3/a", "lumos://s3/%61"]},
        at='"lumos://s3/%61"',
        message="'lumos://s3/%61' is not how its urn is written; write lumos://s3/a",
        cls=Job,
    ),
    Case(
        "field-path",
        "words about a path that cannot be read",
        {"governance": {"fields": [{"path": "a[0]", "pii": True}]}},
        at='"path"',
    ),
    Case(
        "field-path",
        "a promise about a path that cannot be read",
        {"contract": {"fields": [{"path": "a..b", "default": "0"}]}},
        at='"path"',
    ),
    Case(
        "field-path",
        "a column edge to a path that cannot be read",
        upstream({"urn": "lumos://s3/a", "columns": [{"from": "a", "to": "a b"}]}),
        at='"to"',
    ),
    Case(
        "field-path",
        "a column edge from a path that cannot be read",
        upstream({"urn": "lumos://s3/a", "columns": [{"from": "a b", "to": "a"}]}),
        at='"from"',
    ),
    Case(
        "field-path",
        "a former path that cannot be read",
        {"contract": {"fields": [{"path": "a", "renamed_from": "a b"}]}},
        at='"renamed_from"',
    ),
    Case(
        "field-path",
        "a check of a path that cannot be read",
        {"quality": {"checks": [{"name": "c", "field": "a b"}]}},
        at='"field"',
    ),
    Case(
        "field-path",
        "a sort key that cannot be read",
        {"storage": {"sorting": [{"field": "a"}, {"field": "a b"}]}},
        at='"field": "a b"',
    ),
    Case(
        "field-path",
        "the source of a partition column that cannot be read",
        {"storage": {"partitioning": [{"name": "day", "type": "DATE", "source": "a b"}]}},
        at='"source"',
    ),
    Case(
        "field-path",
        "the second column of a bucket that cannot be read",
        {"storage": {"bucketing": {"count": 4, "columns": ["a", "a b"]}}},
        at='"a b"',
    ),
    Case(
        "field-path",
        "a foreign key to a column that cannot be read",
        fields(ID, foreign_keys=[{"urn": "lumos://s3/a", "columns": ["id"], "to": ["a b"]}]),
        at='"a b"',
    ),
    Case(
        "field-path",
        "a measured field whose path cannot be read",
        {"urn": "lumos://s3/a", "fields": [{"path": "a", "nulls": 0}, {"path": "a b"}]},
        at='"path": "a b"',
        cls=Observation,
    ),
    Case(
        "key-column",
        "a key of the second column of a name that stands there once",
        fields(ID, primary_key=["id#2"]),
        at='"primary_key"',
        message="there is no column `id#2`",
    ),
    Case(
        "key-column",
        "a primary key of a column that is not there",
        fields(ID, primary_key=["id", "uid"]),
        at='"primary_key"',
        message="there is no column `uid`",
    ),
    Case(
        "key-column",
        "a unique key of a column that is not there",
        fields(ID, unique=[{"columns": ["id"]}, {"columns": ["uid"]}]),
        at='{\n    "columns": [\n     "uid"',
    ),
    Case(
        "key-column",
        "a foreign key of a column that is not there",
        fields(ID, foreign_keys=[{"urn": "lumos://s3/a", "columns": ["uid"], "to": ["x"]}]),
        at='{\n    "urn": "lumos://s3/a"',
    ),
    Case(
        "key-column",
        "a key of a member that a struct does not have",
        fields(
            {"name": "who", "type": "STRUCT", "nullable": True, "fields": [ID]},
            primary_key=["who.uid"],
        ),
        at='"primary_key"',
        message="there is no column `who.uid`",
    ),
    Case(
        "key-column",
        "a key of a member of a number",
        fields(ID, primary_key=["id.part"]),
        at='"primary_key"',
    ),
    Case(
        "key-column",
        "a partition that is derived from a column that is not there",
        {
            **fields(ID),
            "storage": {"partitioning": [{"name": "day", "type": "DATE", "source": "at"}]},
        },
        at='{\n    "name": "day"',
        message="there is no column `at`",
    ),
    Case(
        "key-column",
        "buckets of a column that is not there",
        {**fields(ID), "storage": {"bucketing": {"count": 4, "columns": ["uid"]}}},
        at='"bucketing"',
    ),
    Case(
        "key-column",
        "files that are sorted by a column that is not there",
        {**fields(ID), "storage": {"sorting": [{"field": "uid"}]}},
        at='{\n    "field": "uid"',
    ),
    Case(
        "repeated-column",
        "two columns of exactly one name",
        fields(ID, {**ID, "type": "INT32"}),
        at='{\n    "name": "id",\n    "type": "INT32"',
        message="there are two columns `id`",
    ),
    Case(
        "repeated-column",
        "two members of exactly one name",
        {
            **fields(
                {
                    "name": "who",
                    "type": "STRUCT",
                    "nullable": True,
                    "fields": [ID, DAY, {**ID, "type": "INT32"}],
                }
            ),
            "storage": {"format": "postgres"},
        },
        at='{\n      "name": "id",\n      "type": "INT32"',
        message="there are two columns `id`",
    ),
    Case(
        "partition-column",
        "a partition column of the path that is a field as well",
        {**fields(ID, DAY), "storage": {"partitioning": [{"name": "day", "type": "DATE"}]}},
        at='{\n    "name": "day",\n    "type": "DATE"\n',
        message="`day` is a field as well",
    ),
    Case(
        "definition",
        "a reference to nothing",
        fields(ID, {"name": "n", "type": "REF", "ref": "node", "nullable": True}),
        at='{\n    "name": "n"',
        message="`node` is not defined in `schema.definitions`",
    ),
    Case(
        "definition",
        "a nested reference to nothing",
        fields(
            {
                "name": "n",
                "type": "ARRAY",
                "nullable": True,
                "element": {"type": "REF", "ref": "node", "nullable": True},
            }
        ),
        at='{\n    "name": "n"',
    ),
    Case(
        "definition",
        "a definition that refers to nothing",
        fields(ID, definitions=[{"name": "node", "type": "REF", "ref": "other"}]),
        at='{\n    "name": "node"',
        message="`other` is not defined in `schema.definitions`",
    ),
    Case("depth", "a field of 65 levels", fields(ID, nested(65)), at='{\n    "name": "deep"'),
    Case(
        "depth",
        "a field of a message's key of 65 levels",
        {"schema": {"key_fields": [nested(65)]}},
        at='{\n    "name": "deep"',
    ),
    Case("depth", "a field of 90 levels", fields(nested(90), ID), at='{\n    "name": "deep"'),
    Case(
        "depth",
        "a definition of 65 levels",
        fields(ID, definitions=[{k: v for k, v in nested(65).items() if k != "nullable"}]),
        at='{\n    "name": "deep"',
    ),
]

NEAR_MISSES = [
    Case(
        "repeated-item",
        "one owner in two roles, and a group of the same name",
        {
            "ownership": {
                "owners": [{"user": "a"}, {"user": "a", "type": "STEWARD"}, {"group": "a"}]
            }
        },
    ),
    Case(
        "repeated-item",
        "two edges from one dataset by two jobs",
        upstream({"urn": "lumos://s3/a"}, {"urn": "lumos://s3/a", "via": "j"}),
    ),
    Case(
        "repeated-item",
        "one column made from two, and from nothing",
        upstream(
            {
                "urn": "lumos://s3/a",
                "columns": [{"to": "a"}, {"from": "a", "to": "a"}, {"from": "b", "to": "a"}],
            }
        ),
    ),
    Case(
        "repeated-item",
        "two fields of one name in files that can hold them",
        {**fields(ID, ID), "storage": {"format": "parquet"}},
    ),
    Case(
        "repeated-item",
        "keys whose joined columns look alike",
        {"schema": {"unique": [{"columns": ["`a\0b`"]}, {"columns": ["a", "b"]}]}},
    ),
    Case("repeated-item", "a group of two", {"id": "g", "members": ["a", "b"]}, cls=Group),
    Case("urn", "a name that is escaped in the urn", {"urn": "lumos://s3/a%2Fb", "name": "a/b"}),
    Case("urn", "single bytes stay escaped in the name", {"urn": "lumos://s3/%FF", "name": "%FF"}),
    Case("urn", "an observation", {"urn": "lumos://s3/a"}, cls=Observation),
    Case("reference", "a dataset beside this one", upstream({"urn": "lumos://s3/lake/click"})),
    Case("reference", "the dataset itself, merged into", upstream({"urn": BASE["urn"]})),
    Case(
        "field-path",
        "a path of odd names that no field has",
        {"documentation": {"fields": [{"path": "`a b`#20.c[]{key}<X>", "title": "x"}]}},
    ),
    Case("key-column", "a key without any known columns", {"schema": {"primary_key": ["id"]}}),
    Case(
        "key-column",
        "a key on a nested column",
        fields(
            {"name": "who", "type": "STRUCT", "nullable": True, "fields": [ID]},
            primary_key=["who.id"],
        ),
    ),
    Case(
        "key-column",
        "a key inside of a type whose members no schema lists",
        fields({"name": "doc", "type": "JSON", "nullable": True}, primary_key=["doc.id"]),
    ),
    Case(
        "repeated-column",
        "a CSV file with one name twice",
        {**fields(ID, ID), "storage": {"format": "csv"}},
    ),
    Case(
        "repeated-column",
        "members of two structs that have one name",
        fields(
            {"name": "a", "type": "STRUCT", "nullable": True, "fields": [ID]},
            {"name": "b", "type": "STRUCT", "nullable": True, "fields": [ID]},
        ),
    ),
    Case(
        "key-column",
        "a key on a partition column",
        {
            **fields(ID, primary_key=["id", "day"]),
            "storage": {"partitioning": [{"name": "day", "type": "DATE"}]},
        },
    ),
    Case(
        "key-column", "a key on an odd name", fields({**ID, "name": "a b."}, primary_key=["`a b.`"])
    ),
    Case(
        "key-column",
        "a key on a repeated name",
        {**fields(ID, ID, primary_key=["id", "id#2"]), "storage": {"format": "csv"}},
    ),
    Case(
        "key-column",
        "a foreign key to columns elsewhere",
        fields(ID, foreign_keys=[{"urn": "lumos://s3/a", "columns": ["id"], "to": ["uid"]}]),
    ),
    Case(
        "partition-column",
        "a partition column that is derived from a field",
        {
            **fields(ID, DAY),
            "storage": {"partitioning": [{"name": "day", "type": "DATE", "source": "day"}]},
        },
    ),
    Case(
        "definition",
        "a type that contains itself",
        fields(
            {"name": "n", "type": "REF", "ref": "node", "nullable": True},
            definitions=[
                {
                    "name": "node",
                    "type": "STRUCT",
                    "fields": [{"name": "next", "type": "REF", "ref": "node", "nullable": True}],
                }
            ],
        ),
    ),
    Case("depth", "a field of 64 levels", fields(ID, nested(64))),
]


def name(case: Case) -> str:
    return f"{case.law}: {case.says}"


@pytest.mark.parametrize("case", BREACHES, ids=name)
def test_a_breach_is_shown_where_it_stands(case):
    reading = read(case.raw, case.cls)
    assert [problem.rule for problem in reading.problems] == [case.law]
    (problem,) = reading.problems
    assert case.message in problem.message
    assert problem.hint
    text = case.raw.decode()
    lines = text[: text.index(case.at)].split("\n")
    assert problem.place == Position(len(lines), len(lines[-1]) + 1)


@pytest.mark.parametrize("case", NEAR_MISSES, ids=name)
def test_what_only_comes_close_is_no_breach(case):
    reading = read(case.raw, case.cls)
    assert reading.problems == ()


def test_every_breach_of_a_document_is_shown_in_the_order_of_its_text():
    edge = {"urn": "lumos://s3/%61"}
    keys = {"platform": "gcs", **fields(ID, primary_key=["uid"]), **upstream(edge)}
    reading = read(Case("", "", keys).raw, Snapshot)
    assert [problem.rule for problem in reading.problems] == ["urn", "key-column", "reference"]


def test_every_law_has_its_own_id_and_says_why_and_how_to_mend_it():
    assert len({law.id for law in ALL_RULES}) == len(ALL_RULES)
    for law in ALL_RULES:
        assert law.id == law.id.lower().strip()
        assert law.says
        assert law.why.endswith(".")
        assert law.fix


URN_FORM = "a urn, lumos://platform/…/name"
PATH_KEYS = {"path", "from", "to", "source", "columns", "primary_key"}


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_urn_and_every_path_is_under_a_law(cls):
    """A urn that no law looked at would break lineage silently; so would a path break words."""
    for key in keys_of(cls).values():
        if key.scalar is None:
            continue
        own = key.name == "urn" and issubclass(cls, Snapshot | Observation)
        if key.scalar.chars.form == URN_FORM:
            assert key.scalar.names is (None if own else NameKind.DATASET)
        elif key.name in PATH_KEYS and cls not in (Term, Observation):
            assert key.scalar.names is NameKind.FIELD


def test_every_law_that_is_checked_has_a_breach_and_a_near_miss():
    checked = {law.id for law in (*COMMON_RULES, URN, *SNAPSHOT_RULES)}
    assert {law.id for law in SNAPSHOT_RULES if law.check is None} == set()
    assert {law.id for law in FILE_RULES if law.check is not None} == set()
    assert {case.law for case in BREACHES} == checked
    assert {case.law for case in NEAR_MISSES} == checked
