"""Datasets that two sources describe: a folder, and a catalog's table whose data lies in it."""

import os
import re
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from lumos_snap.scan.dataset import SourceDataset
from lumos_snap.scan.sources.urls import is_url, strip_file_scheme

_MOST_NAMED = 10
_S3 = re.compile(r"s3[an]://", re.IGNORECASE)


def find_duplicates(met: Sequence[SourceDataset]) -> Iterator[str]:
    """Say which datasets of catalogs are those of folders too."""
    if all(one.source.catalog is None for one in met):
        return
    urns: dict[str, list[str]] = {}
    of_catalogs = set()
    for one in met:
        place = _place(one)
        if place is not None:
            urns.setdefault(place, []).append(one.urn.removeprefix("lumos://"))
            of_catalogs |= {place} if one.source.catalog is not None else set()
    twice = [sorted(names) for place, names in sorted(urns.items()) if place in of_catalogs]
    twice = sorted(names for names in twice if len(names) > 1)
    for names in twice[:_MOST_NAMED]:
        yield (
            f"{' and '.join(names)} describe the same data:"
            " `exclude` in lumos.yaml leaves it out of the folder's source"
        )
    if len(twice) > _MOST_NAMED:
        yield f"{len(twice) - _MOST_NAMED:,} more datasets are described twice"


def _place(one: SourceDataset) -> str | None:
    """Return the address of the folder that a dataset owns, in one spelling."""
    if one.source.catalog is not None:
        return _spell(one.gathered.location) if one.gathered.location else None
    folder, files = one.gathered.place()
    return None if files is not None else _spell(f"{one.source.address}/{folder}")


def _spell(address: str) -> str:
    if is_url(address):
        return _S3.sub("s3://", address).rstrip("/")
    path = strip_file_scheme(address)
    return os.path.realpath(path if path == address else unquote(path))
