"""Reports saved by `--output json=FILE` and `gate`: one run judges, later commands read them."""

from collections.abc import Mapping
from pathlib import Path

from lumos_snap.documents import DocumentRefusedError
from lumos_snap.documents.json_text import parse
from lumos_snap.errors import LumosError
from lumos_snap.report.diff import DiffReport
from lumos_snap.report.envelope import Report
from lumos_snap.report.gate import GateReport, TreeResult
from lumos_snap.schema import keys_of, value_of
from lumos_snap.schema.fast_check import fits

_VERSION = 1
_AGAIN = "write it again: `lumos snap diff --output json=FILE`"


def read_saved_diff(path: Path) -> DiffReport:
    """Read the diff in a file; raises `LumosError` for any other content."""
    found = _read_report(path, {"diff": DiffReport})
    assert isinstance(found, DiffReport)  # noqa: S101 - the only class that was asked for
    return found


def read_saved_results(path: Path, name: str) -> tuple[TreeResult, ...]:
    """Read the tree results of a saved gate, or of a saved diff, which has no tree name."""
    found = _read_report(path, {"diff": DiffReport, "gate": GateReport})
    if isinstance(found, GateReport):
        if not found.trees:
            raise LumosError(f"{path}: is of a gate that judged nothing", hint=_AGAIN)
        return found.trees
    assert isinstance(found, DiffReport)  # noqa: S101 - the only other class
    return (result_of(name, found),)


_EXITS = {"pass": 0, "fail": 1, "undecided": 3}


def result_of(name: str, difference: DiffReport) -> TreeResult:
    """The result of a diff for its tree."""
    return TreeResult(name=name, difference=difference, exit=_EXITS[difference.verdict])


def _read_report(path: Path, classes: Mapping[str, type[Report]]) -> Report:
    try:
        document = parse(path.read_bytes())
    except OSError as exc:
        raise LumosError(f"{path}: cannot be read: {exc.strerror}", hint=_AGAIN) from exc
    except DocumentRefusedError as exc:
        place = exc.problem.place
        where = f"{path}:{place.line}:{place.column}"
        raise LumosError(f"{where}: {exc.problem.message}", hint=_AGAIN) from exc
    cls = classes.get(_text_at(document, "report"))
    if cls is None:
        raise LumosError(f"{path}: is not the JSON of a diff", hint=_AGAIN)
    if _text_at(document, "version") != str(_VERSION):
        message = f"{path}: was written by another version of lumos, which says more or less"
        raise LumosError(message, hint="use one version for both")
    if not fits(document, cls):
        document = _drop_unknown_keys(document, cls)
        _require_fit(path, document, cls)
    return value_of(document, cls)


def _text_at(document: object, key: str) -> str:
    return str(document.get(key)) if isinstance(document, dict) else ""


def _drop_unknown_keys(held: object, cls: type) -> object:
    """Drop keys that a later version may have added, so that they do not break this one."""
    if isinstance(held, list):
        return [_drop_unknown_keys(item, cls) for item in held]
    if not isinstance(held, dict):
        return held
    keys = keys_of(cls)
    return {
        name: _drop_unknown_keys(value, item) if (item := keys[name].item) is not None else value
        for name, value in held.items()
        if name in keys
    }


def _require_fit(path: Path, document: object, cls: type[Report]) -> None:
    from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - takes its time to load

    for one in misfits(document, cls):
        where = ".".join(map(str, one.pointer))
        raise LumosError(f"{path}: {where}: {one.message}", hint=_AGAIN)
