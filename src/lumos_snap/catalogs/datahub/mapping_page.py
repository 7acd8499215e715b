"""The reference page of the DataHub mapping, generated from the mapping's rows."""

from collections.abc import Iterator

from lumos_snap.catalogs.datahub import observations, quality
from lumos_snap.catalogs.datahub.aspect import Home
from lumos_snap.catalogs.datahub.aspect_registry import TABLES, KindMapping
from lumos_snap.catalogs.datahub.custom_properties import OWN, PREFIX
from lumos_snap.catalogs.datahub.urns import LONGEST
from lumos_snap.schema import Holds, keys_of

_DERIVED = ("lumos_version", "id")
_PERMANENT = tuple(name for name, one in TABLES.items() if not one.can_be_removed)
_HEAD = "| ours | aspect | there | note |\n|---|---|---|---|\n"

_START = f"""# What DataHub holds of a document

Every document of a tree becomes aspects of one entity of DataHub's, and comes back from them. What
DataHub's pages show stands in the aspect that they show it from, so that what people edit there
and what the tree says meet in one place. What has no place of its own stands as text among the
custom properties, under a name that begins with `{PREFIX}`; where an entity has no custom
properties either, it is lost, and a loss report names it.

What the places below hold wins over such texts: an edit made in the catalog is never hidden by
what was once written beside it. A text that somebody spoilt says nothing.

## Names

| ours | theirs |
|---|---|
| `lumos://s3/lake/raw/clicks` | `urn:li:dataset:(urn:li:dataPlatform:s3,lake/raw/clicks,PROD)` |
| `lumos://postgres/shop/public/orders` | `urn:li:dataset:(urn:li:dataPlatform:postgres,\
shop.public.orders,PROD)` |
| user `jane.smith` | `urn:li:corpuser:jane.smith` |
| owner's role `TECHNICAL_OWNER` | `urn:li:ownershipType:__system__technical_owner` |
| owner's role `Data Keeper` | `urn:li:ownershipType:Data Keeper` |
| job `load` | `urn:li:dataJob:(urn:li:dataFlow:(lumos,jobs,PROD),load)` |

Environment, platform instance, a template around the name, other names of platforms and what
separates the parts are settings. The separator inside a part, commas, parentheses, percent signs,
control characters and blanks at the ends are percent-encoded, and come back. A name of theirs that
none of ours leads to stands for itself: a dataset as `lumos://datahub/<its urn>`.

DataHub takes urns of {LONGEST} bytes, counted as they stand in a URL. A dataset or an entity with a
longer one cannot stand there at all; an owner, a tag or an edge to one is kept as text. Two
datasets whose urns would be one, or would differ by letter case alone, are named before anything
is written.

## Columns

Columns are named `a.b.c` (version 1) or `[version=2.0].[type=struct].…` (version 2), by a setting;
both are read. Version 1 survives a change of type, and with it the words, tags and terms of a
column. It has no sign for elements, keys, values and branches: ours (`items[]`, `attrs{{key}}`,
`attrs{{}}`, `load<Click>`) stand for them. Columns of a message's key are always written in version
2, with `[key=True]`. Columns of other datasets are named in version 1: their types are not at hand.

The exact type of a column stands in `nativeDataType`, in our notation; members have rows of their
own. What is left (ids, defaults, what elements are described as) stands as a whole in `jsonProps`
of the column, and counts as long as the rows still say what was written. Columns of other sources
are read by the class of their type, and keep their native name.

## What is ours

Tags, terms, owners and structured properties carry `attribution.source`, upstreams our text
`lumos.edges`; custom properties carry the prefix `{PREFIX}`. Writing into an aspect keeps what
others wrote there: their items, their custom properties, keys that are not known here, stamps.
Something is taken away only if it was ours when it was last confirmed and stands there unchanged,
and, where the aspect says who added it, only if we added it. Columns and keys are ours as a whole;
tags and terms that a source put on a column stay with it.
"""


def page() -> str:
    """Render the page as Markdown."""
    parts = [_START]
    for table in TABLES.values():
        parts.append(f"## `{table.kind.cls.__name__}`: entity `{table.entity}`\n")
        parts.append(_HEAD + "".join(f"{row}\n" for row in _rows(table)))
    parts += [_MEASURED + _HEAD + "".join(f"{row}\n" for row in _observation_rows()), _LEFT_ALONE]
    return "\n".join(parts)


_MEASURED = """## `Observation`: points in series

What was measured is nobody's edit. It is not compared and not merged: a sync sends the readings
that are newer than the last ones it sent, of datasets that the server holds. A point is named by
its time, so one that is sent twice is there once. Only a server takes them, DataHub Lite does not;
`observations: false` of the catalog in `lumos.yaml` sends none.

"""
_LEFT_ALONE = f"""## What is not mapped

- Aspects that are not named above are neither read nor written: containers, browse paths, forms,
  incidents, queries, usage, access requests, data contracts, embedded pages and all others.
- Of versions, the numbers stand as text (`{PREFIX}versioning.…`). DataHub's own sets of versions
  take an entity of its own for each version, which would make a dataset many. What changed from
  one to the next is in DataHub's timeline, and in git.
- All jobs stand in one flow, `(lumos,jobs,…)`. Nothing is written of the flow itself.
- Assertions that others made are not read. That of a check that leaves the tree is marked as
  removed.
- What is **lost** above stays in the tree, and is told by every plan.
- What DataHub cannot mark as removed ({", ".join(_PERMANENT)}) stays there when it leaves the tree.
"""


def _observation_rows() -> Iterator[str]:
    for aspect, home in observations.HOMES:
        yield f"| `{home.ours}` | `{aspect}` | `{home.theirs}` | {home.note} |"
    yield f"| | `{observations.PROFILE}` | `columnCount` | of the snapshot's schema |"
    for key in observations.list_unmapped():
        yield f"| `{key}` | | | stays in the tree |"


def _rows(table: KindMapping) -> Iterator[str]:
    for aspect, home in homes(table):
        yield f"| `{home.ours}` | `{aspect}` | `{home.theirs}` | {home.note} |"
    for key in texts(table):
        name = PREFIX + key.partition("[")[0]
        yield f"| `{key}` | `{table.texts}` | `customProperties[{name}]` | as text |"
    for key in find_unmapped(table):
        yield f"| `{key}` | | | **lost**: no place, and no custom properties |"


def homes(table: KindMapping) -> Iterator[tuple[str, Home]]:
    """The homes of a kind of document, with the aspect of each."""
    for codec in table.codecs:
        for home in codec.homes:
            yield codec.aspect, home
    if "quality" in keys_of(table.kind.cls):
        for home in quality.HOMES:
            yield quality.ASPECT, home
    if table.texts and OWN in keys_of(table.kind.cls):
        note = "texts under their own names; other values together as JSON"
        yield table.texts, Home(OWN, "customProperties", note)


def texts(table: KindMapping) -> tuple[str, ...]:
    """The unmapped keys that are stored as text."""
    return tuple(_homeless(table)) if table.texts else ()


def find_unmapped(table: KindMapping) -> tuple[str, ...]:
    """The unmapped keys that are lost."""
    return () if table.texts else tuple(_homeless(table))


def _homeless(table: KindMapping) -> Iterator[str]:
    at_home = [home.ours.replace("[]", "").replace("…", "") for _, home in homes(table)]
    for path in paths(table):
        bare = path.replace("[]", "")
        if not any(one == bare or one.startswith(f"{bare}.") for one in at_home):
            yield path


def paths(table: KindMapping) -> Iterator[str]:
    """Every key of a kind of document; keys of sections are listed individually."""
    for name, key in keys_of(table.kind.cls).items():
        if name in _DERIVED:
            continue
        if key.holds is Holds.OBJECT and key.item is not None:
            for inner, held in keys_of(key.item).items():
                yield from _of_set(f"{name}.{inner}", held.item if held.set_by else None)
        else:
            yield name


def _of_set(path: str, item: type | None) -> Iterator[str]:
    """A key of a section; sets about single fields are listed key by key."""
    if item is None or not path.endswith(".fields"):
        yield path
        return
    for name in keys_of(item):
        if name not in ("path", "id"):
            yield f"{path}[].{name}"
