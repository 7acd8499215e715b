"""The catalogs of `lumos.yaml`: where each is, and who wins where it was edited."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from lumos_snap.shape import Chars, Maybe, Text, Value, stored

CatalogName = Annotated[
    str,
    Chars(
        pattern=r"^[a-z0-9][a-z0-9_-]*$(?!\n)",
        form="a name such as datahub: lower-case letters, digits, `_` and `-`",
    ),
]
PolicyWord = Literal["git", "catalog", "merge"]


@stored
class Catalog(Value):
    """A catalog to sync with. Credentials are never here: they come from the environment."""

    name: Annotated[CatalogName, "what the catalog is called; git keeps its base under that name"]
    type: Annotated[Literal["files"], "what sort of catalog it is"]
    path: Annotated[Maybe[Text], "its folder; may be relative to this file"] = None
    policy: Annotated[
        Mapping[str, PolicyWord],
        "who wins where both were edited, by section or key: `documentation`, `governance.tags`",
    ] = field(default_factory=dict)
