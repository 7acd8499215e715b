"""How a catalog of DataHub's is spoken to: the settings that names follow from."""

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
# Stores whose names are paths, or hold dots: a dot between their parts would have to be escaped.
_SLASHED = ("s3", "gcs", "gs", "abs", "abfs", "hdfs", "file", "kafka")
_RESERVED = frozenset(",()%\u241f")


class PathStyle(StrEnum):
    """How columns are named there."""

    V1 = "v1"  # `a.b.c`: survives a change of type
    V2 = "v2"  # `[version=2.0].[type=struct].…`: types stand in the path


@dataclass(frozen=True, slots=True)
class PropertyDefinition:
    """What a property that the catalog knows by type may hold: it refuses all else."""

    type: str = "text"
    is_multiple: bool = False
    allowed: frozenset[str] = frozenset()
    """The only values that it may have, if there are such."""


@dataclass(frozen=True, slots=True)
class NamingSettings:
    """Where our datasets stand in a catalog, and how what we add there is marked."""

    environment: str = "PROD"
    instance: str = ""
    """The platform instance; it stands before each name, as DataHub's own sources put it."""
    template: str = PATH
    """The name of a dataset: its parts stand at `{path}`."""
    platforms: Mapping[str, str] = field(default_factory=dict)
    """Their name of a platform, by ours, where the two differ."""
    separators: Mapping[str, str] = field(default_factory=lambda: dict.fromkeys(_SLASHED, "/"))
    """What stands between the parts of a name, by platform; a dot elsewhere."""
    field_paths: PathStyle = PathStyle.V1
    source: str = "urn:li:platformResource:lumos"
    """Who is named as the source of what we add."""
    actor: str = "urn:li:corpuser:lumos"
    structured: Mapping[str, PropertyDefinition] = field(default_factory=dict)
    """The properties that the catalog knows by type, by id."""

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
        """What stands between the parts of a name of one of our platforms."""
        return self.separators.get(platform, ".")

    def told(self) -> str:
        """All that decides which dataset of ours a urn there stands for, as JSON."""
        said = {name: getattr(self, name) for name in _NAMES}
        return orjson.dumps(said, option=orjson.OPT_SORT_KEYS).decode()


def parse_settings(text: str) -> NamingSettings:
    """The naming that `told` speaks of; raises `ValueError` or `TypeError` where it does not."""
    said = orjson.loads(text)
    return NamingSettings(**{name: said[name] for name in _NAMES if name in said})


_NAMES = ("environment", "instance", "template", "platforms", "separators")
