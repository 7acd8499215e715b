"""Public names that are loaded when they are first used."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(namespace: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A module's `__getattr__`: `homes` says in which module each of its names lives."""

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {namespace!r} has no attribute {name!r}")
        value: object = getattr(import_module(homes[name]), name)
        setattr(sys.modules[namespace], name, value)
        return value

    return load
