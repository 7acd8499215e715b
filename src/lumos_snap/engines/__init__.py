"""Engine profiles: what each engine does when the type of a column changes, with sources.

    from lumos_snap.engines import ask
    ask("spark-4", {"type": "INT32"}, {"type": "INT16"}).shows  # '2147483647 → -1'

Stored files have the old type, the engine is given the new one. A profile is a file of rows in
`profiles/`: the first row that matches a pair of types answers. Profiles are loaded on demand.
"""

from lumos_snap.engines.profile import (
    EngineAnswer,
    Profile,
    ProfileRow,
    ReadOutcome,
    Traits,
    ask,
    engine_names,
    profile,
    readers_of,
)

__all__ = [
    "EngineAnswer",
    "Profile",
    "ProfileRow",
    "ReadOutcome",
    "Traits",
    "ask",
    "engine_names",
    "profile",
    "readers_of",
]
