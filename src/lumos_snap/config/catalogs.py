"""The catalogs of `lumos.yaml`: their addresses, naming and sync policies."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Literal

from lumos_snap.schema import Chars, Maybe, Text, Value, value_class

CatalogName = Annotated[
    str,
    Chars(
        pattern=r"^[a-z0-9][a-z0-9_-]*$(?!\n)",
        form="a name such as datahub: lower-case letters, digits, `_` and `-`",
    ),
]
PolicyWord = Literal["git", "catalog", "merge"]


@value_class
class CatalogSettings(Value):
    """A catalog to sync with. Credentials are not stored here: they come from the environment."""

    name: Annotated[CatalogName, "what the catalog is called; git keeps its base under that name"]
    type: Annotated[Literal["files", "datahub-lite", "datahub"], "what sort of catalog it is"]
    server: Annotated[
        Maybe[Text],
        "the address of DataHub's metadata service, as in http://datahub-gms:8080; left out: what "
        "DATAHUB_GMS_URL says; where both are given, they must agree",
    ] = None
    token_from: Annotated[
        Maybe[Text],
        "the variable of the environment that holds DataHub's token; else DATAHUB_GMS_TOKEN",
    ] = None
    mode: Annotated[
        Maybe[Literal["auto", "openapi", "rest.li"]],
        "how DataHub is spoken to; `auto` is OpenAPI where the server is new enough for it",
    ] = None
    asynchronous: Annotated[
        bool, "hand writes to DataHub's queue, and wait for each by its trace: OpenAPI only"
    ] = False
    certificates: Annotated[
        Maybe[Text],
        "a file of certificates to trust, if not the machine's; may be relative to this file",
    ] = None
    observations: Annotated[
        bool,
        "send what was measured to a DataHub server, as points in time: rows, bytes, last changes, "
        "results of checks",
    ] = True
    path: Annotated[
        Maybe[Text],
        "its folder, or its file: of files, one that ends in `.json` is one portable document; of "
        "DataHub Lite, `.lumos/datahub.db` where none is named; may be relative to this file",
    ] = None
    environment: Annotated[
        Maybe[Text], "DataHub's word for where its datasets are in use, such as DEV; else PROD"
    ] = None
    platform_instance: Annotated[
        Maybe[Text], "DataHub's platform instance: stands before the name of each dataset"
    ] = None
    name_template: Annotated[
        Maybe[Text], "what DataHub calls a dataset, with its own name at `{path}`: `lake/{path}`"
    ] = None
    platforms: Annotated[
        Mapping[str, Text], "what DataHub calls a platform, where that differs: `{files: file}`"
    ] = field(default_factory=dict)
    policy: Annotated[
        Mapping[str, PolicyWord],
        "who wins where both were edited, by section or key: `documentation`, `governance.tags`",
    ] = field(default_factory=dict)
