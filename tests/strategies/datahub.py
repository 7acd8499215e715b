"""Settings of a catalog of DataHub's, and documents as they are mapped."""

from typing import Any

from hypothesis import strategies as st

from lumos_snap.canonical.document_kinds import DocumentKind, kind_for
from lumos_snap.canonical.encode import canonical_document
from lumos_snap.catalogs.datahub.aspect_registry import TABLES
from lumos_snap.catalogs.datahub.settings import (
    FABRICS,
    NamingSettings,
    PathStyle,
    PropertyDefinition,
)
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.schema import document_of
from tests.strategies.documents import STORED
from tests.strategies.texts import short_texts

DEFINITIONS = st.builds(
    PropertyDefinition,
    type=st.sampled_from(("text", "number", "date", "urn", "boolean")),
    is_multiple=st.booleans(),
    allowed=st.frozensets(short_texts, max_size=2),
)
identities = st.builds(
    UrnMapper,
    st.builds(
        NamingSettings,
        environment=st.sampled_from(FABRICS),
        instance=st.sampled_from(("", "lake", "a.b")),
        template=st.sampled_from(("{path}", "raw/{path}", "x.{path}-y")),
        platforms=st.sampled_from(({}, {"s3": "mys3"})),
        field_paths=st.sampled_from(PathStyle),
        structured=st.dictionaries(short_texts, DEFINITIONS, max_size=3),
    ),
)
KINDS = {row.kind.name: row.kind for row in TABLES.values()}


@st.composite
def _documents(draw: st.DrawFn, cls: type) -> dict[str, Any]:
    return canonical_document(document_of(draw(STORED[cls])), cls)


def documents_of(kind: DocumentKind) -> st.SearchStrategy[dict[str, Any]]:
    """Canonical documents of one kind."""
    return _documents(next(cls for cls in STORED if kind_for(cls) is kind))
