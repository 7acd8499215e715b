"""In whose names the catalog's edits are committed."""

import re
from collections.abc import Iterator, Mapping, Sequence

from lumos_snap.catalogs.adapter import Catalog, Held, Identity
from lumos_snap.errors import LumosError
from lumos_snap.git.commits import Author
from lumos_snap.model.entities import User
from lumos_snap.tree import Tree

_ADDRESS = re.compile(r"[^@\s<>]+@[^@\s<>]+\.[^@\s<>]+")
_UNFIT = re.compile(r"[\x00-\x1f\x7f<>]+|[\ud800-\udfff]")
"""What git would drop from a name, or take for the end of one."""
_UNFIT_IN_ADDRESS = re.compile(r"[^A-Za-z0-9._+-]+")


def authors(tree: Tree, catalog: Catalog, people: Sequence[str]) -> dict[str, Author]:
    """Who users are, by id: the tree's word counts, then the catalog's.

    Who has no address in either gets one that cannot be delivered to: `jane@hub.invalid`.
    """
    known = {one: dict(_in_tree(tree, one)) for one in people}
    asked = [one for one, said in known.items() if len(said) < len(_SAID)]
    there = dict(_in_catalog(catalog, asked))
    return {one: _author(one, {**there.get(one, {}), **known[one]}, catalog.name) for one in people}


_SAID = ("name", "email")


def _in_tree(tree: Tree, person: str) -> Iterator[tuple[str, str]]:
    try:
        user = tree.entity(User, person)
    except LumosError:  # a broken file says nothing of anybody
        return
    for name in _SAID:
        if held := getattr(user, name, None):
            yield name, held


def _in_catalog(catalog: Catalog, people: Sequence[str]) -> Iterator[tuple[str, Mapping[str, str]]]:
    if not people or "user" not in catalog.capabilities.holds:
        return
    for found in catalog.read(sorted(Identity("user", one) for one in people)):
        if isinstance(found, Held):
            said = found.document
            yield found.identity.id, {name: said[name] for name in _SAID if said.get(name)}


def _author(person: str, said: Mapping[str, str], catalog: str) -> Author:
    email = _plain(said.get("email", person))
    if not _ADDRESS.fullmatch(email):
        parts = (_UNFIT_IN_ADDRESS.sub("-", one).strip(".-") for one in (person, catalog))
        user, host = (one or "unknown" for one in parts)
        email = f"{user}@{host}.invalid"
    return Author(_plain(said.get("name", person)) or "unknown", email)


def _plain(text: str) -> str:
    return _UNFIT.sub(" ", text).strip(" .,:;\"'\\")
