"""Profiles from their files: each is read once, when it is first asked for."""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import orjson

from lumos_snap.engines.answer import Outcome, Traits
from lumos_snap.engines.rows import Profile, Row
from lumos_snap.errors import LumosError
from lumos_snap.model.kinds import Kind

_NAMES = ("spark-4", "pyarrow", "fastavro", "avro", "iceberg", "delta", "generic")
_PROFILES = Path(__file__).with_name("profiles")  # importlib.resources takes longer than the file
_EVERY = frozenset(kind.value for kind in Kind)


def engine_names() -> tuple[str, ...]:
    """Every engine that has a profile."""
    return _NAMES


@cache
def profile(engine: str) -> Profile:
    """The profile of an engine."""
    if engine not in _NAMES:
        raise LumosError(f"unknown reader {engine!r}", hint=f"known are {', '.join(_NAMES)}")
    raw = (_PROFILES / f"{engine}.json").read_bytes()
    return _profile(engine, orjson.loads(raw))


def _profile(name: str, given: Mapping[str, Any]) -> Profile:
    groups = {group: frozenset(kinds.split()) for group, kinds in given["groups"].items()}
    traits: Mapping[str, Any] = given["traits"]
    holds = given.get("holds", {})
    digits = given.get("most_digits", {})
    return Profile(
        name=name,
        says=given["says"],
        version=given["version"],
        sources=given["sources"],
        traits=Traits(**{trait: said["is"] for trait, said in traits.items()}),
        trait_sources={trait: said["source"] for trait, said in traits.items()},
        readers=tuple(given.get("readers", ())),
        rows=tuple(_row(row, groups, given["sources"]) for row in given["rows"]),
        stores={**holds, **given.get("stores", {})},
        asks={**holds, **given.get("asks", {})},
        most_digits=digits.get("is"),
        digits_why=digits.get("why", ""),
        digits_source=digits.get("source", ""),
    )


def _row(
    given: Mapping[str, str], groups: Mapping[str, frozenset[str]], sources: Mapping[str, str]
) -> Row:
    return Row(
        old=frozenset(_kinds(given["from"], groups)),
        new=frozenset(_kinds(given["to"], groups)),
        reads=Outcome(given["reads"]),
        why=given["why"],
        source=sources[given["source"]],
        when=tuple(given.get("when", "").split()),
        shows=given.get("shows", ""),
        readers=tuple(given.get("reader", "").split()),
    )


def _kinds(text: str, groups: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """Names of kinds and of groups of kinds; a star is every kind."""
    known = {"*": _EVERY, **groups}
    for word in text.split():
        yield from known.get(word) or (Kind(word).value,)
