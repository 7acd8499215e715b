"""Other ways to write the same document."""

import json
import random
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from hypothesis import strategies as st

from lumos_snap.schema import Holds, Key, keys_of

_NOTHING: Mapping[Holds, object] = {
    Holds.OBJECT: {},
    Holds.OBJECTS: [],
    Holds.SCALARS: [],
    Holds.FREE: {},
}

shuffles = st.randoms(use_true_random=False)


def shuffled(document: Mapping[str, Any], cls: type, chance: random.Random) -> dict[str, Any]:
    """The same document with keys and sets in another order, and with empty things added."""
    keys = keys_of(cls)
    found = {name: _shuffled(held, keys[name], chance) for name, held in document.items()}
    for key in keys.values():
        if key.name not in found and chance.random() < 0.5:
            found |= _nothing(key)
    return _in_any_order(found, chance)


def _nothing(key: Key) -> dict[str, Any]:
    if key.holds is Holds.SCALAR:
        return {} if key.default is None else {key.name: key.default}
    if key.holds is Holds.OBJECT and key.item is not None and _must_say(key.item):
        return {}
    return {key.name: _NOTHING[key.holds]}


def _must_say(cls: type) -> bool:
    """Whether an object of the class cannot be empty."""
    return any(f.default is MISSING and f.default_factory is MISSING for f in fields(cls))


def _shuffled(held: Any, key: Key, chance: random.Random) -> Any:
    if key.holds is Holds.OBJECT and key.item is not None:
        return shuffled(held, key.item, chance)
    if key.holds is Holds.FREE:
        return _free(held, chance)
    if not isinstance(held, list):
        return held
    items = [
        held_item if key.item is None else shuffled(held_item, key.item, chance)
        for held_item in held
    ]
    if key.set_by is not None:
        chance.shuffle(items)
    return items


def _free(held: Any, chance: random.Random) -> Any:
    if isinstance(held, dict):
        return _in_any_order({name: _free(value, chance) for name, value in held.items()}, chance)
    if isinstance(held, list):
        return [_free(item, chance) for item in held]
    return held


def _in_any_order(document: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    names = list(document)
    chance.shuffle(names)
    return {name: document[name] for name in names}


def written(document: Mapping[str, Any], chance: random.Random) -> bytes:
    """The document in some layout, with or without a byte-order mark."""
    text = json.dumps(
        document,
        indent=chance.choice((None, 0, 3, "\t")),
        ensure_ascii=chance.choice((True, False)),
        separators=chance.choice(((",", ":"), (" , ", " : "))),
    )
    ends = chance.choice(("", "\n", "\r\n\r\n  "))
    raw = chance.choice((text, text.replace("\n", "\r\n"))) + ends
    return raw.encode(chance.choice(("utf-8", "utf-8-sig")))
