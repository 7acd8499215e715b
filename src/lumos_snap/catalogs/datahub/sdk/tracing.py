"""Waiting for what a server took into its queue: only the trace of a write tells what became of it.

DataHub's client can wait as well, but of several aspects of an entity it looks at the last one.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lumos_snap.catalogs.datahub.sdk.failing import FailedError
from lumos_snap.catalogs.datahub.sdk.packing import Proposal

Ask = Callable[[str, object], Any]
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 2.0
_STORED = frozenset({"ACTIVE_STATE", "HISTORIC_STATE", "NO_OP"})
_REJECTED, _WAITING = "ERROR", "PENDING"
_INVALID = 422


def await_stored(
    ask: Ask, trace: str, proposals: Iterable[Proposal], *, address: str, patience: float
) -> None:
    """Return once all is stored; raises `FailedError` where it is not, or nobody knows."""
    waiting: dict[str, set[str]] = {}
    for one in proposals:
        waiting.setdefault(one.urn, set()).add(one.aspect)
    until, pause = time.monotonic() + patience, _FIRST_PAUSE
    while True:
        for urn, aspect, fate in _fates(_told(ask, trace, waiting, address)):
            if _is_stored(fate, urn, aspect, address) and urn in waiting:
                waiting[urn].discard(aspect)
        waiting = {urn: names for urn, names in waiting.items() if names}
        if not waiting:
            return
        if time.monotonic() > until:
            raise FailedError(f"{address}: did not store in time what it took into its queue")
        time.sleep(pause)
        pause = min(pause * 2, _LONGEST_PAUSE)


def _told(ask: Ask, trace: str, waiting: Mapping[str, Iterable[str]], address: str) -> Any:
    asked = {urn: sorted(names) for urn, names in waiting.items()}
    try:
        return ask(f"/openapi/v1/trace/write/{trace}?onlyIncludeErrors=false&detailed=true", asked)
    except FailedError as exc:
        if exc.is_busy:
            return {}
        # It took the write: whatever this answer says, it says nothing of that.
        raise FailedError(f"{address}: took a write, and does not tell of it: {exc}") from exc


def _fates(told: Any) -> Iterable[tuple[str, str, Mapping[str, Any]]]:
    for urn, aspects in told.items():
        for aspect, fate in aspects.items():
            yield urn, aspect, fate


def _is_stored(fate: Mapping[str, Any], urn: str, aspect: str, address: str) -> bool:
    primary = fate.get("primaryStorage") or {}
    status = primary.get("writeStatus")
    if status == _REJECTED:
        raise FailedError(
            f"{address}: did not take {aspect} of {urn}: {_why(primary)}", status=_INVALID
        )
    if status != _WAITING and not fate.get("success", True):
        raise FailedError(f"{address}: does not know what became of {aspect} of {urn}")
    return status in _STORED


def _why(primary: Mapping[str, Any]) -> str:
    told = [one.get("message") for one in primary.get("writeExceptions") or ()]
    said = [str(one) for one in (*told, primary.get("writeMessage")) if one]
    return " ".join("; ".join(said).split())[:300] or "no reason was given"
