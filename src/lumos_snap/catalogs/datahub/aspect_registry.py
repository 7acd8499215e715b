"""The registry of the aspects that each kind of document is mapped to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lumos_snap._version import FORMAT_VERSION
from lumos_snap.canonical import document_kinds
from lumos_snap.canonical.rule_checks import displayable_name
from lumos_snap.catalogs.datahub import dataset_properties as properties
from lumos_snap.catalogs.datahub import entities
from lumos_snap.catalogs.datahub import ownership_and_tags as marks
from lumos_snap.catalogs.datahub.aspect import Codec, Document
from lumos_snap.catalogs.datahub.lineage import LINEAGE
from lumos_snap.catalogs.datahub.schema import SCHEMA
from lumos_snap.catalogs.datahub.structured_properties import STRUCTURED
from lumos_snap.catalogs.datahub.urns import UrnMapper
from lumos_snap.model.urn import parse_urn


@dataclass(frozen=True, slots=True)
class KindMapping:
    """The mapping of one kind of document."""

    kind: document_kinds.DocumentKind
    entity: str
    """DataHub's name of the entity type."""
    codecs: tuple[Codec, ...]
    """In order of precedence: later codecs override earlier ones."""
    can_be_removed: bool = True
    """Whether DataHub can mark it as removed."""
    texts: str = ""
    """The aspect whose custom properties hold unmapped keys; empty: those keys are lost."""
    urn: Callable[[UrnMapper, str], str] | None = None
    back: Callable[[UrnMapper, str], str] | None = None

    def theirs(self, identity: UrnMapper, name: str) -> str:
        """The DataHub urn of one of our urns or ids."""
        return self.urn(identity, name) if self.urn else identity.entity(self.entity, name)

    def ours(self, identity: UrnMapper, urn: str) -> Document:
        """The minimal document that a DataHub urn alone defines."""
        name = self.back(identity, urn) if self.back else identity.of_entity(urn)
        if self.kind is not document_kinds.SNAPSHOT:
            return {"lumos_version": FORMAT_VERSION, "id": name}
        parsed = parse_urn(name)
        return {
            "lumos_version": FORMAT_VERSION,
            "urn": name,
            "name": displayable_name(parsed),
            "platform": parsed.platform,
        }


_BY_NAME = {kind.name: kind for kind in document_kinds.KINDS}
_ROWS = (
    KindMapping(
        document_kinds.SNAPSHOT,
        "dataset",
        (
            properties.PROPERTIES, properties.EDITABLE, properties.SUBTYPES, properties.INSTANCE,
            properties.STATUS, SCHEMA, properties.FIELDS, properties.VIEW, properties.DEPRECATION,
            LINEAGE, marks.OWNERSHIP, marks.TAGS, marks.TERMS, marks.domain("governance", "domain"),
            marks.links("documentation", "links"), STRUCTURED,
        ),
        texts="datasetProperties",
        urn=UrnMapper.dataset,
        back=UrnMapper.of_dataset,
    ),
    KindMapping(
        _BY_NAME["user"],
        "corpuser",
        (entities.USER_INFO, entities.USER_WORDS, entities.MEMBERSHIP),
        texts="corpUserInfo",
    ),
    KindMapping(_BY_NAME["group"], "corpGroup", (entities.GROUP_INFO, entities.GROUP_WORDS)),
    KindMapping(
        _BY_NAME["term"],
        "glossaryTerm",
        (entities.TERM_INFO, entities.RELATED, marks.domain("domain"), marks.OWNERSHIP),
        texts="glossaryTermInfo",
    ),
    KindMapping(
        _BY_NAME["domain"],
        "domain",
        (entities.DOMAIN, marks.OWNERSHIP),
        can_be_removed=False,
        texts="domainProperties",
    ),
    KindMapping(
        _BY_NAME["job"],
        "dataJob",
        (entities.INFO, entities.WORDS, entities.SIDES, marks.links("links"), marks.OWNERSHIP),
        texts="dataJobInfo",
        urn=UrnMapper.job,
        back=lambda identity, urn: identity.of_job(urn) or urn,
    ),
    KindMapping(_BY_NAME["tag"], "tag", (entities.TAG, marks.OWNERSHIP)),
    KindMapping(_BY_NAME["property"], "structuredProperty", (entities.PROPERTY,)),
)  # fmt: skip
TABLES: Mapping[str, KindMapping] = {row.kind.name: row for row in _ROWS}
"""The mapping of each kind of document, by the name of the kind. Observations have none."""


def find_mapping(entity: str) -> KindMapping | None:
    """Find the mapping of a DataHub entity type."""
    return next((row for row in _ROWS if row.entity == entity), None)
