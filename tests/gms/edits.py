"""What people do in the user interface, and other tools do beside us."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.gms import urns
from tests.gms.models import aspect_named
from tests.gms.rows import Proposal
from tests.gms.store import Store

Json = Any
Change = Mapping[str, Json] | Callable[[Json], Json]
"""A new value, or what makes one of the stored value; that is empty where there is none."""

JDOE = "urn:li:corpuser:jdoe"
UI = {"runId": "no-run-id-provided", "properties": {"appSource": "ui", "eventSource": "ui"}}


def edit(store: Store, urn: str, aspect: str, change: Change, *, actor: str = JDOE) -> None:
    """Write an aspect as the user interface does: with no condition, and in somebody's name."""
    name = aspect_named(aspect, urns.check(urn))
    with store.lock:
        row = store.row(urn, name)
        value = change(row.json() if row else {}) if callable(change) else dict(change)
        store.write([Proposal(urn=urn, aspect=name, value=value, system=UI)], actor=actor)
