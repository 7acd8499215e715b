"""Who must own a dataset, and what data about persons must have."""

from collections.abc import Iterator
from typing import Any

from lumos_snap.config.demands import OwnerDemand, PersonalDemand
from lumos_snap.rules import states
from lumos_snap.rules.breach import COLUMNS, Breach
from lumos_snap.rules.state import State

_OWNERS = ("ownership", "owners")


def owner_breaches(demand: OwnerDemand, state: State) -> Iterator[Breach]:
    """Too few owners of a sort."""
    counted = [one for one in _owners(state) if _counts(one, demand)]
    if len(counted) < demand.least:
        least, found = str(demand.least), str(len(counted) or "none")
        item = f"{'groups' if demand.group else 'owners'}{_in_role(demand)}"
        new = "one" if demand.least == 1 else f"at least {least}"
        yield Breach(states.OWNER_MISSING, at=_OWNERS, item=item, old=found, new=new)


def _owners(state: State) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = state.document.get("ownership", {}).get("owners", [])
    return found


def _counts(owner: dict[str, Any], demand: OwnerDemand) -> bool:
    is_of_type = demand.type is None or owner.get("type") == demand.type
    return is_of_type and (not demand.group or "group" in owner)


def _in_role(demand: OwnerDemand) -> str:
    return "" if demand.type is None else f" of type {demand.type}"


def personal_breaches(demand: PersonalDemand, state: State) -> Iterator[Breach]:
    """Data about persons that lacks what it needs."""
    governance = state.document.get("governance", {})
    marked = [one for one in governance.get("fields", ()) if one.get("pii")]
    ids = dict(state.columns) if marked else {}
    for one in marked:
        for rule in _lacking(demand, one, governance):
            column = ids.get(one["path"], {})
            yield Breach(rule, at=COLUMNS, path=one["path"], id=column.get("id"))
    if governance.get("pii"):
        for rule in _lacking(demand, governance, governance):
            yield Breach(rule, at=("governance", "pii"))
    if "owner" in demand.needs and (marked or governance.get("pii")) and not _owners(state):
        path = marked[0]["path"] if marked and not governance.get("pii") else ""
        at = COLUMNS if path else ("governance", "pii")
        yield Breach(states.PERSONAL_WITHOUT_OWNER, at=at, path=path)


def _lacking(demand: PersonalDemand, held: dict[str, Any], whole: dict[str, Any]) -> Iterator[Any]:
    """What one thing lacks; the class of the dataset is that of its columns too."""
    is_classified = "classification" in held or "classification" in whole
    if "classification" in demand.needs and not is_classified:
        yield states.PERSONAL_UNCLASSIFIED
    if "masking" in demand.needs and held is not whole and "masking" not in held:
        yield states.PERSONAL_UNMASKED
