"""Sets of versions: each version is an entity of its own, and the set knows the latest."""

from typing import Any

from tests.gms import urns
from tests.gms.entity_view import as_entity
from tests.gms.messages import Answer, Deed, Request, Wrote, said
from tests.gms.refusals import Refusal, Why
from tests.gms.rows import Proposal
from tests.gms.state import State

Json = Any
OF_ONE, OF_SET = "versionProperties", "versionSetProperties"
SCHEME = "ALPHANUMERIC_GENERATED_BY_DATAHUB"
FIRST = "AAAAAAAA"


def link(state: State, request: Request, versions: str, urn: str) -> Deed:
    """POST `/openapi/v3/entity/versioning/{set}/relationship/versionOf/{urn}`."""
    if not state.wire.has_versioning:
        return Deed(_off)
    body = request.json()
    _check(versions, urn)

    def run() -> Answer:
        linked(state, versions, urn, body, actor=request.actor)
        shown = {OF_ONE: state.store.aspects(urn)[OF_ONE]}
        return said([as_entity(urn, shown, with_system=False)])

    return Deed(run, (Wrote(urn, OF_ONE, "LINK", body), Wrote(versions, OF_SET, "LINK")))


def unlink(state: State, _request: Request, versions: str, urn: str) -> Deed:
    """DELETE of the same: only the latest version can leave."""
    if not state.wire.has_versioning:
        return Deed(_off)
    _check(versions, urn)

    def run() -> Answer:
        unlinked(state, versions, urn)
        return said([urn])

    return Deed(run, (Wrote(urn, OF_ONE, "UNLINK"), Wrote(versions, OF_SET, "UNLINK")))


def linked(state: State, versions: str, urn: str, given: Json, *, actor: str) -> None:
    """Make an entity the latest version of a set, which is made where it is not there."""
    with state.store.lock:
        before = _members(state, versions)
        tag = {"versionTag": given.get("label") or given.get("version")}
        value = {
            "versionSet": versions,
            "version": tag,
            "sortId": _following(before[-1][0]) if before else FIRST,
            "versioningScheme": SCHEME,
            "comment": given.get("comment"),
            "isLatest": True,
        }
        proposals = [Proposal(urn=urn, aspect=OF_ONE, value=value)]
        for _, member in before[-1:]:
            old = {**_value(state, member), "isLatest": False}
            proposals.append(Proposal(urn=member, aspect=OF_ONE, value=old))
        told = {"latest": urn, "versioningScheme": SCHEME}
        proposals.append(Proposal(urn=versions, aspect=OF_SET, value=told))
        state.store.write(proposals, actor=actor)


def unlinked(state: State, versions: str, urn: str) -> None:
    """Take the latest version out of a set."""
    with state.store.lock:
        members = [one for _, one in _members(state, versions)]
        if members[-1:] != [urn]:
            raise Refusal(Why.INVALID, f"{urn} is not the latest version of {versions}")
        state.store.delete_aspect(urn, OF_ONE)
        if len(members) == 1:
            state.store.delete(versions)


def _members(state: State, versions: str) -> list[tuple[str, str]]:
    there = ((one, state.store.row(one, OF_ONE)) for one in state.store.urns())
    values = ((one, row.json()) for one, row in there if row is not None)
    return sorted(
        (value["sortId"], one) for one, value in values if value["versionSet"] == versions
    )


def _value(state: State, urn: str) -> Json:
    return state.store.aspects(urn)[OF_ONE].json()


def _following(last: str) -> str:
    """The next of AAAAAAAA, AAAAAAAB, …"""
    head, end = last[:-1], last[-1]
    return f"{_following(head)}A" if end == "Z" else f"{head}{chr(ord(end) + 1)}"


def _check(versions: str, urn: str) -> None:
    urns.entity_of(urn)
    if urns.entity_of(versions) != "versionSet":
        raise Refusal(Why.INVALID, f"Version Set urn {versions} must be of type Version Set.")


def _off() -> Answer:
    message = "Entity Versioning is not configured, please enable it before using this feature."
    return said({"error": "Internal Server Error", "message": message}, 500)
