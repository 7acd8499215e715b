"""Our urns and ids ↔ DataHub urns.

Every name of ours maps to a DataHub urn, and two names never share one unless the settings cause
it. Characters that a DataHub urn cannot hold are percent-encoded. A DataHub urn that none of our
names maps to stands for itself, so that entities of others can be referenced too.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, quote_plus, unquote

from lumos_snap.catalogs.datahub.settings import FABRICS, PATH, NamingSettings
from lumos_snap.errors import LumosError
from lumos_snap.model.urn import Urn, parse_urn, percent, unescape

LONGEST = 512
"""The maximum bytes of a urn that the server accepts, counted URL-encoded."""

FOREIGN = "datahub"
"""The platform of datasets that none of our names maps to; their name is their whole urn."""

_PREFIX = "urn:li:"
_DATASET = f"{_PREFIX}dataset:"
_PLATFORM = f"{_PREFIX}dataPlatform:"
_WHOLE = re.compile(rf"{_DATASET}\({_PLATFORM}([a-z][a-z0-9_-]*),([^,()]+),([A-Z_]+)\)")
_IN_ENVIRONMENT = re.compile(rf"{_DATASET}\(.+,(\w+)\)", re.DOTALL)
_JOB = re.compile(rf"{_PREFIX}dataJob:\({_PREFIX}dataFlow:\([^,()]+,[^,()]+,[^,()]+\),[^,()]+\)")
# Characters that end a urn part, start an escape, are invisible, or would be trimmed.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f%,()\u241f\u2028\u2029\ud800-\udfff]|^\\s+|\\s+\\Z|^__system__"
)
_FIELD_URN = f"{_PREFIX}schemaField:("
_RESERVED = re.compile("[,()\u241f]")
_DECODED = re.compile("%2C|%28|%29|%E2%90%9F")


def fits(urn: str) -> bool:
    """Whether the server accepts a urn of this length."""
    if len(urn) * 3 <= LONGEST and urn.isascii():  # most fit: a byte takes at most three in a URL
        return True
    return len(quote_plus(urn, safe="*", errors="replace").replace("~", "%7E")) <= LONGEST


def unknown_environment(urn: str) -> str:
    """Why the server would reject a foreign dataset because of its environment, if it would.

    Over rest.li it would report success.
    """
    match = _IN_ENVIRONMENT.fullmatch(urn)
    if match is None or match[1] in FABRICS:
        return ""
    return f"DataHub has no environment {match[1]}"


def escape_urn_part(text: str, separator: str = "") -> str:
    """Escape a text for a urn; `separator` has a meaning in it, and is escaped too."""
    found = _UNSAFE.sub(lambda match: percent(match.group()), text)
    return found.replace(separator, percent(separator)) if separator else found


@dataclass(frozen=True, slots=True, eq=False)
class UrnMapper:
    """The mapping of names that results from the settings."""

    naming: NamingSettings

    def dataset(self, urn: str) -> str:
        """The DataHub urn of one of our datasets."""
        return _dataset(self.naming, parse_urn(urn))

    def of_dataset(self, theirs: str) -> str:
        """Our urn of a DataHub dataset."""
        return _of_dataset(self.naming, theirs)

    def entity(self, kind: str, name: str) -> str:
        """The DataHub urn of an entity with one of our ids; `kind` is DataHub's name: tag."""
        prefix = f"{_PREFIX}{kind}:"
        if name.startswith(prefix) and not _is_image(name.removeprefix(prefix)):
            return name
        return prefix + escape_urn_part(name)

    def of_entity(self, theirs: str) -> str:
        """Our id of a DataHub entity."""
        rest = theirs.split(":", 3)[-1]
        return unescape(rest) if _is_image(rest) else theirs

    def platform(self, ours: str) -> str:
        """The DataHub urn of one of our platforms."""
        return _PLATFORM + self.naming.platforms.get(ours, ours)

    def job(self, name: str) -> str:
        """The DataHub urn of a job: ours are all in one flow, those of others are kept."""
        if _JOB.fullmatch(name) and self.of_job(name) is None:
            return name
        return f"{_PREFIX}dataJob:({self._flow},{escape_urn_part(name)})"

    def of_job(self, theirs: str) -> str | None:
        """Our id of a job in our flow."""
        start = f"{_PREFIX}dataJob:({self._flow},"
        rest = theirs.removeprefix(start).removesuffix(")")
        if not theirs.startswith(start) or not _is_image(rest):
            return None
        found = unescape(rest)
        return None if _JOB.fullmatch(found) and self.of_job(found) is None else found

    @property
    def _flow(self) -> str:
        return f"{_PREFIX}dataFlow:(lumos,jobs,{self.naming.environment})"


def _is_image(rest: str) -> bool:
    """Whether a text is a valid result of escaping."""
    return bool(rest) and escape_urn_part(unescape(rest)) == rest


def _dataset(naming: NamingSettings, urn: Urn) -> str:
    if urn.platform == FOREIGN and len(urn.parts) == 1:
        theirs = urn.name
        if theirs.startswith(_DATASET) and _ours(naming, theirs) is None:
            return theirs
    separator = naming.separator(urn.platform)
    path = separator.join(escape_urn_part(part, separator) for part in urn.parts)
    name = naming.template.replace(PATH, path)
    if naming.instance:
        name = f"{naming.instance}.{name}"
    platform = naming.platforms.get(urn.platform, urn.platform)
    return f"{_DATASET}({_PLATFORM}{platform},{name},{naming.environment})"


def _of_dataset(naming: NamingSettings, theirs: str) -> str:
    return str(_ours(naming, theirs) or Urn(FOREIGN, (theirs,)))


def _ours(naming: NamingSettings, theirs: str) -> Urn | None:
    """Our name that maps to a DataHub urn, if any."""
    match = _WHOLE.fullmatch(theirs)
    if match is None or match[3] != naming.environment:
        return None
    own = {there: here for here, there in naming.platforms.items()}
    platform = own.get(match[1], match[1])
    before, after = naming.template.split(PATH)
    before = (f"{naming.instance}." if naming.instance else "") + before
    name = match[2]
    if not (name.startswith(before) and name.endswith(after)) or len(name) <= len(before + after):
        return None
    path = name[len(before) : len(name) - len(after)]
    try:
        urn = Urn(platform, tuple(map(unescape, path.split(naming.separator(platform)))))
    except LumosError:
        return None
    is_foreign = urn.platform == FOREIGN and len(urn.parts) == 1 and _looks_foreign(urn.name)
    return None if is_foreign or _dataset(naming, urn) != theirs else urn


def _looks_foreign(name: str) -> bool:
    return name.startswith(_DATASET)


def field_urn(dataset: str, path: str) -> str:
    """The DataHub urn of a column, encoded exactly as DataHub's own pages encode it."""
    return f"{_FIELD_URN}{dataset},{_RESERVED.sub(lambda match: quote(match.group()), path)})"


def of_field_urn(theirs: str) -> tuple[str, str] | None:
    """The dataset and the path of a DataHub column urn."""
    if not theirs.startswith(_FIELD_URN) or not theirs.endswith(")"):
        return None
    dataset, comma, path = theirs[len(_FIELD_URN) : -1].rpartition(",")
    if not comma:
        return None
    return dataset, _DECODED.sub(lambda match: unquote(match.group()), path)


@dataclass(frozen=True, slots=True)
class Collision:
    """Our datasets that share one DataHub urn, or whose urns differ by letter case only."""

    theirs: str
    ours: tuple[str, ...]
    is_exact: bool


def collisions(identity: UrnMapper, urns: Iterable[str]) -> tuple[Collision, ...]:
    """Find the datasets whose names collide in DataHub, or nearly do."""
    met: dict[str, list[tuple[str, str]]] = {}
    for urn in urns:
        theirs = identity.dataset(urn)
        # DataHub keeps the case, but also finds datasets by their lower-case name.
        met.setdefault(theirs.lower(), []).append((theirs, urn))
    found = []
    for same in met.values():
        if len(ours := sorted({urn for _, urn in same})) > 1:
            names = sorted({theirs for theirs, _ in same})
            found.append(Collision(names[0], tuple(ours), is_exact=len(names) < len(ours)))
    return tuple(sorted(found, key=lambda one: one.theirs))
