"""DataHub's own classes take what we write, and its own store keeps it."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from datahub.metadata.urns import Urn
from hypothesis import given, settings
from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.catalogs.datahub.aspect_merge import SERVER_MADE, same_aspect
from lumos_snap.catalogs.datahub.client.sdk_classes import as_class, as_json
from lumos_snap.catalogs.datahub.mapping import (
    MappedDocument,
    from_aspects,
    project_document,
    to_aspects,
)
from lumos_snap.catalogs.datahub.settings import NamingSettings
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.errors import OutsideError
from lumos_snap.json_object import JsonObject
from tests.strategies import LAW, SHARE
from tests.strategies.datahub import KINDS, documents_of, identities

if TYPE_CHECKING:
    from datahub.lite.sqlite_lite import SqliteLite

# The store calls what its own package has deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")

THOUSAND = settings(LAW, max_examples=1000 // SHARE)
IDENTITY = UrnMapper(NamingSettings())


def _all(theirs: MappedDocument) -> Iterator[tuple[str, str, JsonObject]]:
    for urn, aspects in ((theirs.urn, theirs.aspects), *theirs.companions.items()):
        for name, aspect in aspects.items():
            yield urn, name, aspect


def _through(theirs: MappedDocument) -> None:
    for urn, name, aspect in _all(theirs):
        assert str(Urn.from_string(urn)) == urn
        assert same_aspect(as_json(as_class(name, aspect)), aspect), name


def test_a_plan_needs_no_package_of_datahubs() -> None:
    program = (
        "import sys\n"
        "from lumos_snap.catalogs.datahub import aspect_merge\n"
        "from lumos_snap.catalogs.datahub import capabilities, mapping\n"
        "print({'datahub', 'avro', 'requests', 'pydantic_core'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


@pytest.mark.slow
@THOUSAND
@given(documents_of(SNAPSHOT), identities)
def test_datahubs_classes_take_every_aspect_of_a_thousand_snapshots(
    document: dict[str, Any], identity: UrnMapper
) -> None:
    _through(to_aspects(document, SNAPSHOT, identity))


@pytest.mark.parametrize("name", KINDS)
@LAW
@given(st.data())
def test_datahubs_classes_take_every_aspect_of_every_kind(name: str, data: st.DataObject) -> None:
    _through(to_aspects(data.draw(documents_of(KINDS[name])), KINDS[name], IDENTITY))


@pytest.mark.parametrize(
    ("name", "aspect"),
    [
        ("status", {"removed": "yes"}),
        ("ownership", {}),
        ("globalTags", {"tags": [{"tag": 1}]}),
        ("schemaMetadata", {"fields": [1]}),
        ("noSuchAspect", {}),
    ],
    ids=str,
)
def test_what_the_classes_do_not_take_is_named(name: str, aspect: dict[str, Any]) -> None:
    with pytest.raises(OutsideError, match=name):
        as_class(name, aspect)


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_datahubs_own_store_gives_back_what_it_was_given(
    name: str, tmp_path: Path, open_lite: "Callable[[Path], SqliteLite]"
) -> None:
    kind = KINDS[name]
    lite = open_lite(tmp_path / "lite.db")

    @LAW
    @given(documents_of(kind))
    def comes_back(document: dict[str, Any]) -> None:
        theirs = to_aspects(document, kind, IDENTITY)
        for urn, aspect, value in _all(theirs):
            _write(lite, urn, aspect, value)
        if theirs.aspects:
            companions = {urn: _read(lite, urn) for urn in theirs.companions}
            found = {
                aspect: value
                for aspect, value in _read(lite, theirs.urn).items()
                if aspect in theirs.aspects
            }
            assert from_aspects(kind, theirs.urn, found, IDENTITY, companions) == project_document(
                document, kind, IDENTITY
            )

    comes_back()


def _write(lite: "SqliteLite", urn: str, name: str, aspect: JsonObject) -> None:
    from datahub.emitter.mcp import MetadataChangeProposalWrapper  # noqa: PLC0415

    lite.write(MetadataChangeProposalWrapper(entityUrn=urn, aspect=as_class(name, aspect)))


def _read(lite: "SqliteLite", urn: str) -> dict[str, dict[str, Any]]:
    found: Any = lite.get(urn, aspects=None) or {}
    return {
        name: held
        for name, held in found.items()
        if isinstance(held, dict) and name not in SERVER_MADE
    }


def test_an_equal_write_is_no_new_version(
    tmp_path: Path, open_lite: "Callable[[Path], SqliteLite]"
) -> None:
    lite = open_lite(tmp_path / "lite.db")
    document = {
        "lumos_version": "1.0.0",
        "urn": "lumos://s3/a/b",
        "name": "b",
        "platform": "s3",
        "schema": {"fields": [{"name": "id", "type": "INT64", "nullable": False}]},
    }
    for _ in range(2):
        for urn, name, aspect in _all(to_aspects(document, SNAPSHOT, IDENTITY)):
            _write(lite, urn, name, aspect)
    versions = lite.sqlite_client.execute(
        "SELECT DISTINCT version FROM metadata_aspect_v2 ORDER BY version"
    ).fetchall()
    assert versions == [(0,), (1,)]
