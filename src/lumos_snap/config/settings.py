"""The settings of `lumos.yaml`: their structure, and reading and checking them."""

import re
from collections.abc import Mapping
from dataclasses import field, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from lumos_snap.config import CONFIG_NAME
from lumos_snap.config.requirements import (
    FreshnessRequirement,
    MetadataRequirement,
    NamingRequirement,
    OwnerRequirement,
    PersonalDataRequirement,
    Requirement,
)
from lumos_snap.documents import DocumentRefusedError, Problem
from lumos_snap.documents.limits import read_file
from lumos_snap.errors import LumosError
from lumos_snap.schema import Chars, Json, Maybe, Range, Text, Value, value_class, value_of
from lumos_snap.schema.fast_check import fits

# Reads trivial YAML without the YAML library, whose import takes longer than most commands.
#
# A line is empty, a comment, or `key: word`. Everything else needs the library.


_LINE = re.compile(
    rb"(?:[ ]*#[^\r]*|[ ]*|([a-z_]+):[ ]+([A-Za-z][A-Za-z0-9_-]*|0|[1-9][0-9]{0,8})[ ]*)"
)
_MEANS_SOMETHING = frozenset(
    {"true", "false", "yes", "no", "on", "off", "null", "y", "n", "nan", "inf"}
)
"""Words that YAML does not read as texts."""


def parse_plain(raw: bytes) -> dict[str, object] | None:
    """Parse a text of such lines; None if a line is more complex, or a key repeats."""
    found: dict[str, object] = {}
    for line in raw.removesuffix(b"\n").split(b"\n"):
        match = _LINE.fullmatch(line)
        if match is None or not line.isascii():
            return None
        if match[1] is None:
            continue
        key, word = match[1].decode(), match[2].decode()
        if key in found or word.lower() in _MEANS_SOMETHING or key in _MEANS_SOMETHING:
            return None
        found[key] = int(word) if word.isdigit() else word
    return found or None


# The catalogs of `lumos.yaml`: their addresses, naming and sync policies.


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


STRUCTURE = "structure"


class Observations(StrEnum):
    """Whether observations are tracked in git."""

    IGNORED = "ignored"
    TRACKED = "tracked"


LevelWord = Literal["silent", "breaking", "non-breaking", "informational"]
PresetWord = Literal["default", "history", "consumers", "strict", "draft"]
FailOn = Literal["breaking", "non-breaking", "none"]
NewWaivers = Literal["count", "approved", "refuse"]
STRICTNESS_OF_WAIVERS: tuple[NewWaivers, ...] = ("count", "approved", "refuse")
"""In ascending order of strictness."""
PlatformName = Annotated[
    str,
    Chars(
        pattern=r"^[a-z][a-z0-9_-]*$(?!\n)",
        form="a platform such as s3: lower-case letters, digits, `_` and `-`",
    ),
]


@value_class
class PathPolicy(Value):
    """The policy for some datasets."""

    match: Annotated[Text, "a pattern of dataset paths, as in `s3/lake/raw/**`"]
    preset: Annotated[Maybe[PresetWord], "which column of the table of rules decides"] = None
    lifecycle: Annotated[
        Maybe[Literal["draft", "beta", "stable"]], "of datasets whose contract says none"
    ] = None
    rules: Annotated[Mapping[str, LevelWord], "levels by rule, by id or name"] = field(
        default_factory=dict
    )


@value_class
class Policy(Value):
    """The policy for changes, and for the current state of datasets."""

    preset: Annotated[PresetWord, "which column of the table of rules decides"] = "default"
    fail_on: Annotated[FailOn, "the least level that fails a diff"] = "breaking"
    new_waivers: Annotated[
        NewWaivers, "whether waivers count that the target branch does not have yet"
    ] = "count"
    classifications: Annotated[tuple[Text, ...], "how secret data is, the least first"] = ()
    rules: Annotated[Mapping[str, LevelWord], "levels by rule, by id or name"] = field(
        default_factory=dict
    )
    paths: Annotated[
        tuple[PathPolicy, ...], "for some datasets; of several that match, the last one wins"
    ] = ()
    require: Annotated[tuple[MetadataRequirement, ...], "what must be said"] = ()
    owners: Annotated[tuple[OwnerRequirement, ...], "which owners there must be"] = ()
    personal: Annotated[
        tuple[PersonalDataRequirement, ...], "what data about persons must have"
    ] = ()
    freshness: Annotated[tuple[FreshnessRequirement, ...], "how old data may be"] = ()
    naming: Annotated[tuple[NamingRequirement, ...], "how names must be formed"] = ()

    @property
    def demands(self) -> tuple[Requirement, ...]:
        """All requirements on the current state of datasets, except freshness."""
        return (*self.require, *self.owners, *self.personal, *self.naming)


@value_class
class VersionSettings(Value):
    """The names of releases."""

    cloud_prefix: Annotated[Text, "what stands before the number of a release"] = "S-"
    tag_prefix: Annotated[str, "what stands before the cloud version in a git tag"] = ""


Grouping = Literal["auto", "folder", "file"]
Endpoint = Annotated[
    str,
    Chars(
        pattern=r"^https?://[A-Za-z0-9._\[\]:-]+/?$(?!\n)",
        form="a scheme, a host and a port, as in http://127.0.0.1:9000",
    ),
]


@value_class
class StoreSettings(Value):
    """How to connect to a store. Credentials are not stored here: each provider finds its own."""

    endpoint: Annotated[Maybe[Endpoint], "who answers, where it is not the provider itself"] = None
    region: Annotated[Maybe[Text], "of a bucket of S3; left out: as the machine is set up"] = None
    profile: Annotated[Maybe[Text], "which of the machine's AWS profiles to take"] = None
    anonymous: Annotated[bool, "whether to ask as nobody: for what anybody may read"] = False
    requester_pays: Annotated[bool, "whether to pay for reading somebody's bucket of S3"] = False
    path_style: Annotated[
        Maybe[bool], "whether a bucket of S3 stands in the path; left out: if there is an endpoint"
    ] = None
    account: Annotated[Maybe[Text], "of an address of Azure that names none"] = None

    def given(self) -> frozenset[str]:
        """The settings that differ from their defaults."""
        every = ((one.name, getattr(self, one.name), one.default) for one in fields(self))
        return frozenset(name for name, value, usual in every if value != usual)


@value_class
class SourceSettings(Value):
    """Storage to scan, and the naming of its datasets."""

    name: Annotated[Text, "what the source is called; datasets carry it, paths of machines do not"]
    path: Annotated[
        Text,
        "the folder, or a URL such as s3://bucket/prefix; a folder may be relative to this file",
    ]
    store: Annotated[StoreSettings, "how the store of a URL is reached"] = field(
        default_factory=StoreSettings
    )
    platform: Annotated[
        Maybe[PlatformName], "the first name of its urns; left out: `file`, or as the URL says"
    ] = None
    container: Annotated[
        Maybe[Text], "what follows in its urns, with `/` between names; left out: see the URL"
    ] = None
    location: Annotated[
        Maybe[Text], "what stands before paths in `storage.location`; left out: the URL"
    ] = None
    grouping: Annotated[Grouping, "what is one dataset"] = "auto"
    templates: Annotated[tuple[Text, ...], "paths with named parts, as in /raw/{dataset}/"] = ()
    include: Annotated[tuple[Text, ...], "globs of paths to look at; left out: all"] = ()
    exclude: Annotated[tuple[Text, ...], "globs of paths to pass over"] = ()
    sample: Annotated[
        int, Range(least=1, most=100_000), "how many text files of a dataset are looked at"
    ] = 20


EngineName = Literal["spark", "local"]
MOST_PARTITIONS = 100
DURATION = r"[1-9]\d{0,4}[smh]"
Duration = Annotated[
    str, Chars(pattern=rf"^{DURATION}$(?!\n)", form="a duration such as 90s, 10m or 2h")
]
_SECONDS = {"s": 1, "m": 60, "h": 3600}


def seconds_of(duration: str) -> int:
    """Parse a duration such as `90s`, `10m` or `2h` to seconds."""
    return int(duration[:-1]) * _SECONDS[duration[-1]]


@value_class
class ScanSettings(Value):
    """How `lumos snap scan` reads storage."""

    engine: Annotated[
        EngineName, "what reads files: Spark, or processes of this machine, without Java"
    ] = "spark"
    start_timeout: Annotated[
        Duration, "how long a scan waits for a cluster to give its first executor"
    ] = "10m"
    absent_after: Annotated[
        int,
        Range(least=1, most=MOST_PARTITIONS),
        "how many of the newest partitions must lack a field until it is `absent`",
    ] = 1


@value_class
class Config(Value):
    """The settings of a tree."""

    version: Annotated[int, Range(least=1, most=1)]
    environment: Maybe[Text] = None
    observations: Observations = Observations.IGNORED
    sources: Annotated[tuple[SourceSettings, ...], "what `lumos snap scan` reads"] = ()
    scan: Annotated[ScanSettings, "how `lumos snap scan` reads"] = field(
        default_factory=ScanSettings
    )
    spark: Annotated[Mapping[str, Json], "settings of the Spark session that a scan starts"] = (
        field(default_factory=dict)
    )
    policy: Annotated[Policy, "which changes break, and what happens then"] = field(
        default_factory=Policy
    )
    catalogs: Annotated[tuple[CatalogSettings, ...], "what `lumos snap sync` keeps in line"] = ()
    versions: Annotated[VersionSettings, "how releases are called"] = field(
        default_factory=VersionSettings
    )


def load_config(root: Path) -> Config:
    """Load the settings of the tree at `root`; `LumosError` names file, line and column."""
    path = root / CONFIG_NAME
    try:
        with path.open("rb") as file:
            raw = read_file(file)
    except OSError as exc:
        raise LumosError(
            f"{path}: cannot be read: {exc.strerror}", hint="see `lumos doctor`"
        ) from exc
    return parse_config(raw, str(path))


def parse_config(raw: bytes, name: str) -> Config:
    """Parse settings; `name` is the file name for errors."""
    config, problems = _read(raw)
    if config is None:
        first = problems[0]
        where = f"{name}:{first.place.line}:{first.place.column}"
        raise LumosError(f"{where}: {first.message}", hint=first.hint or "see `lumos doctor`")
    return config


def problems_of_config(raw: bytes) -> tuple[Problem, ...]:
    """All problems of a settings file."""
    return _read(raw)[1]


def _read(raw: bytes) -> tuple[Config | None, tuple[Problem, ...]]:
    simple = parse_plain(raw)
    if simple is not None and fits(simple, Config):
        return value_of(simple, Config), ()
    # YAML and the validator are slow to import: only if needed.
    from lumos_snap.documents import yaml_text  # noqa: PLC0415

    try:
        document = yaml_text.parse(raw)
    except DocumentRefusedError as exc:
        return None, (exc.problem,)
    if not fits(document.value, Config):
        from lumos_snap.schema.validation import misfits  # noqa: PLC0415

        wrong = misfits(document.value, Config)
        found = (Problem(document.place(m.pointer), STRUCTURE, m.message, m.hint) for m in wrong)
        if wrong:
            return None, tuple(sorted(found))
    return value_of(document.value, Config), ()
