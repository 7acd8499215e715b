"""Settings of a DataHub catalog: environment, naming, field paths and attribution."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import orjson

from lumos_snap.errors import LumosError

FABRICS = (
    "DEV", "TEST", "QA", "UAT", "EI", "PRE", "STG", "NON_PROD", "PROD", "CORP", "RVW", "PRD",
    "TST", "SIT", "SBX", "SANDBOX", "CERT",
)  # fmt: skip
"""The environments that DataHub knows."""

PATH = "{path}"
# Stores whose names are paths or contain dots: a dot as separator would need escaping.
_SLASHED = ("s3", "gcs", "gs", "abs", "abfs", "hdfs", "file", "kafka")
_RESERVED = frozenset(",()%\u241f")


class PathStyle(StrEnum):
    """The field path version in which columns are named."""

    V1 = "v1"  # `a.b.c`: survives a type change
    V2 = "v2"  # `[version=2.0].[type=struct].…`: contains types


@dataclass(frozen=True, slots=True)
class PropertyDefinition:
    """The type and the values of a structured property: the catalog rejects all others."""

    type: str = "text"
    is_multiple: bool = False
    allowed: frozenset[str] = frozenset()
    """The only allowed values, if restricted."""


@dataclass(frozen=True, slots=True)
class NamingSettings:
    """How our datasets are named in a catalog, and how our additions are marked."""

    environment: str = "PROD"
    instance: str = ""
    """The platform instance; a prefix of each name, as in DataHub's own sources."""
    template: str = PATH
    """The name of a dataset: its parts replace `{path}`."""
    platforms: Mapping[str, str] = field(default_factory=dict)
    """DataHub's platform names by ours, if they differ."""
    separators: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(_SLASHED, "/"))
    """The separator of the parts of a name, by platform; default: a dot."""
    field_paths: PathStyle = PathStyle.V1
    source: str = "urn:li:platformResource:lumos"
    """The attribution source of our additions."""
    actor: str = "urn:li:corpuser:lumos"
    structured: Mapping[str, PropertyDefinition] = field(default_factory=dict)
    """The structured properties of the catalog, by id."""

    def __post_init__(self) -> None:
        if self.environment not in FABRICS:
            raise LumosError(
                f"DataHub has no environment {self.environment!r}",
                hint=f"use one of {', '.join(FABRICS)}",
            )
        if self.template.count(PATH) != 1:
            raise LumosError(
                f"the name template {self.template!r} must have `{PATH}` once",
                hint=f"as in lake/{PATH}: without it, two datasets would have one name",
            )
        for said in (self.instance, self.template.replace(PATH, ""), *self.separators.values()):
            if _RESERVED.intersection(said):
                raise LumosError(
                    f"{said!r} cannot stand in a name of DataHub's",
                    hint="leave out commas, parentheses and percent signs",
                )

        for platform, separator in self.separators.items():
            if not separator or separator.isalnum():
                raise LumosError(
                    f"{separator!r} cannot separate the names of {platform}",
                    hint="use a sign such as `.` or `/`",
                )

    def separator(self, platform: str) -> str:
        """The separator of the parts of a name on one of our platforms."""
        return self.separators.get(platform, ".")

    def told(self) -> str:
        """All settings that decide which of our datasets a DataHub urn stands for, as JSON."""
        said = {name: getattr(self, name) for name in _NAMES}
        return orjson.dumps(said, option=orjson.OPT_SORT_KEYS).decode()


def parse_settings(text: str) -> NamingSettings:
    """Parse the naming that `told` returns; raise `ValueError` or `TypeError` if invalid."""
    said = orjson.loads(text)
    return NamingSettings(**{name: said[name] for name in _NAMES if name in said})


_NAMES = ("environment", "instance", "template", "platforms", "separators")
