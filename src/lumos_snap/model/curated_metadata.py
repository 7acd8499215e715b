"""Curated metadata: ownership, governance and documentation."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeVar

from lumos_snap.model.scalars import PathText, Words
from lumos_snap.schema import Keyed, Maybe, Natural, Text, Value, value_class

G = TypeVar("G", bound=Mapping[str, Any])

FieldOf = Annotated[PathText, "the field that this is about"]
IdOf = Annotated[Maybe[Natural], "its field id, which finds it again under another name"]


@value_class
class Owner(Value):
    """An owner, a user or a group, with its role."""

    SCHEMA_EXTRA: ClassVar[Mapping[str, object]] = {
        "oneOf": [{"required": ["user"]}, {"required": ["group"]}]
    }

    user: Annotated[Maybe[Text], "the id of the person who owns it"] = None
    group: Annotated[Maybe[Text], "the id of the team that owns it"] = None
    type: Annotated[Maybe[Text], "the role, as in TECHNICAL_OWNER or DATA_STEWARD"] = None
    description: Annotated[Maybe[Text], "what this owner is asked about"] = None

    @staticmethod
    def consistent(given: G) -> G:
        """Check that an owner is either a user or a group."""
        if ("user" in given) == ("group" in given):
            raise ValueError("an owner is either a `user` or a `group`")
        return given


@value_class
class Ownership(Value):
    """The owners of the dataset."""

    owners: Annotated[
        tuple[Owner, ...], Keyed("user", "group", "type"), "people and teams, each in a role"
    ] = ()


@value_class
class FieldGovernance(Value):
    """The governance of one field."""

    path: FieldOf
    id: IdOf = None
    pii: Annotated[Maybe[bool], "whether it tells something about a person"] = None
    classification: Annotated[Maybe[Text], "how secret it is, as in confidential"] = None
    masking: Annotated[Maybe[Text], "how it is hidden from those who may not see it"] = None
    tags: Annotated[Words, "the ids of its tags"] = ()
    terms: Annotated[Words, "the ids of the glossary terms that it means"] = ()


@value_class
class Governance(Value):
    """The governance of the dataset: domain, classification, tags and terms."""

    domain: Annotated[Maybe[Text], "the id of the part of the business that it belongs to"] = None
    classification: Annotated[Maybe[Text], "how secret it is, as in confidential"] = None
    pii: Annotated[Maybe[bool], "whether it tells something about persons"] = None
    license: Annotated[Maybe[Text], "the terms under which it may be used"] = None
    retention: Annotated[Maybe[Text], "how long data is kept, as an ISO 8601 duration"] = None
    access: Annotated[Maybe[Text], "who may read it, or where to ask"] = None
    tags: Annotated[Words, "the ids of its tags"] = ()
    terms: Annotated[Words, "the ids of the glossary terms that it means"] = ()
    compliance: Annotated[Words, "the regulations it falls under, as in GDPR"] = ()
    fields: Annotated[
        tuple[FieldGovernance, ...], Keyed("path"), "how single fields must be treated"
    ] = ()


@value_class
class FieldDocumentation(Value):
    """The documentation of one field."""

    path: FieldOf
    id: IdOf = None
    title: Annotated[Maybe[Text], "a name for people"] = None
    description: Annotated[Maybe[Text], "what it means; shown instead of the source's words"] = None


@value_class
class Link(Value):
    """A link to a page about the dataset."""

    url: Annotated[Text, "where the page is"]
    label: Annotated[Maybe[Text], "what is shown for the link"] = None


@value_class
class Documentation(Value):
    """The documentation of the dataset; shown instead of the source's own descriptions."""

    title: Annotated[Maybe[Text], "a name for people"] = None
    description: Annotated[Maybe[Text], "what it holds; shown instead of the source's words"] = None
    business_context: Annotated[Maybe[Text], "what the business uses it for"] = None
    links: Annotated[tuple[Link, ...], Keyed("url"), "pages about it: runbooks, dashboards"] = ()
    fields: Annotated[
        tuple[FieldDocumentation, ...], Keyed("path"), "what people say about single fields"
    ] = ()
