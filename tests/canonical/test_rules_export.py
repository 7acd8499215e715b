"""The laws of an export: those of all that it carries, each breach said once."""

import json
from typing import Any

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical.document_kinds import KINDS
from lumos_snap.canonical.read import read
from lumos_snap.model.export import Export
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.schema import keys_of

COUNTS = {"datasets": 0, "lineage_edges": 0, "owners": 0, "tags": 0}
TWICE = {"fields": [{"path": "a"}, {"path": "a"}]}


def export(**sections: Any) -> bytes:
    head = {"lumos_version": FORMAT_VERSION, "document": "lumos-export", "statistics": COUNTS}
    return json.dumps({**head, **sections}, indent=1).encode()


def dataset(urn: str, **more: Any) -> dict[str, Any]:
    name = urn.rpartition("/")[2]
    head = {"lumos_version": FORMAT_VERSION, "urn": urn, "name": name, "platform": "s3"}
    return {**head, **more}


def rules(raw: bytes) -> list[str]:
    return [problem.rule for problem in read(raw, Export).problems]


def test_an_export_obeys_the_laws_of_what_it_carries():
    assert rules(export(datasets=[dataset("lumos://s3/a")])) == []
    assert rules(export(datasets=[dataset("lumos://s3/a"), dataset("lumos://s3/%61")])) == ["urn"]


def test_every_breach_is_said_once():
    field = {"name": "id", "type": "REF", "ref": "x", "nullable": True}
    edge = {"urn": "lumos://s3/%61"}
    broken = dataset(
        "lumos://s3/b",
        platform="gcs",
        schema={"fields": [field], "primary_key": ["uid"]},
        documentation=TWICE,
        lineage={"upstream": [edge], "downstream": ["lumos://s3/%62"]},
    )
    job = {"lumos_version": FORMAT_VERSION, "id": "j", "inputs": ["lumos://s3/%63"]}
    measured = {"lumos_version": FORMAT_VERSION, "urn": "lumos://s3/%64"}
    assert rules(export(datasets=[broken], jobs=[job], observations=[measured])) == [
        "urn", "definition", "key-column", "repeated-item", "reference", "reference", "reference",
        "urn",
    ]  # fmt: skip


def test_one_dataset_twice_is_a_repeated_item():
    assert rules(export(datasets=[dataset("lumos://s3/a")] * 2)) == ["repeated-item"]


def test_an_export_has_a_list_for_every_kind_of_document():
    carried = {key.item for key in keys_of(Export).values() if key.item is not None}
    for kind in KINDS:
        assert any(issubclass(cls, kind.cls) for cls in carried)
    assert Snapshot not in carried
