"""Who wrote an aspect last, out of what DataHub's servers tell of it."""

from typing import Any

import pytest

from lumos_snap.catalogs.adapter import Edit
from lumos_snap.catalogs.datahub.aspect_registry import TABLES
from lumos_snap.catalogs.datahub.audit_stamps import Edits, stamp_in
from lumos_snap.catalogs.datahub.capabilities import HOLDS
from lumos_snap.catalogs.datahub.documents import PARTS
from lumos_snap.catalogs.datahub.mapping_page import find_unmapped, paths
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names

NAMES = Names(NamingSettings())
EARLY, LATE = 1_768_471_200_000, 1_768_557_600_000


def stamp(actor: str, time: Any = EARLY) -> dict[str, Any]:
    return {"time": time, "actor": f"urn:li:corpuser:{actor}"}


def edit(held: dict[str, Any]) -> Edit:
    return Edits({"globalTags": stamp_in(held)}, NAMES)["globalTags"]


@pytest.mark.parametrize(
    ("held", "who", "when"),
    [
        (
            {
                "systemMetadata": {"aspectModified": stamp("jdoe"), "runId": "ingest"},
                "auditStamp": stamp("ann", LATE),
                "created": stamp("bob"),
            },
            "jdoe",
            "2026-01-15T10:00:00Z",
        ),
        ({"auditStamp": stamp("ann", LATE), "created": {}}, "ann", "2026-01-16T10:00:00Z"),
        ({"created": stamp("bob")}, "bob", "2026-01-15T10:00:00Z"),
        ({"created": stamp("bob", 0)}, "", ""),
        ({"systemMetadata": {"properties": {"eventSource": "ui", "appSource": "x"}}}, "ui", ""),
        ({"systemMetadata": {"properties": {"appSource": "ui"}, "runId": "ingest"}}, "", ""),
        ({}, "", ""),
        ({"created": stamp("bob", 10**30)}, "bob", ""),
    ],
)
def test_the_last_change_counts_and_no_first_writer_and_no_run(
    held: dict[str, Any], who: str, when: str
) -> None:
    found = edit(held)
    assert (found.who, found.when) == (who, when)


def test_only_users_are_people() -> None:
    assert edit({"created": stamp("jane.smith")}).is_person
    assert not edit({"created": stamp("__datahub_system")}).is_person
    assert not edit({"created": {"time": EARLY, "actor": "urn:li:service:x"}}).is_person
    assert not edit({"systemMetadata": {"properties": {"eventSource": "ui"}}}).is_person


@pytest.mark.parametrize("kind", TABLES)
def test_each_key_that_is_kept_stands_in_parts_that_there_are(kind: str) -> None:
    parts, table = HOLDS.parts[kind], TABLES[kind]
    assert set().union(*parts.values()) <= PARTS[kind]
    plain = {path: path.replace("[]", "") for path in paths(table)}
    without = {
        path
        for path, name in plain.items()
        if not any(f"{key}.".startswith(f"{name}.") or name.startswith(f"{key}.") for key in parts)
    }
    assert without - {"quality.checks"} == set(find_unmapped(table))
