"""Reading back what `--output json=FILE` wrote: a run judges once, others tell."""

from pathlib import Path

from lumos_snap.documents import RefusedError
from lumos_snap.documents.jsontext import parse
from lumos_snap.errors import LumosError
from lumos_snap.report.changes import Difference
from lumos_snap.shape import value_of
from lumos_snap.shape.fitting import fits

_AGAIN = "write it again: `lumos snap diff --output json=FILE`"


def recorded(path: Path) -> Difference:
    """The diff that a file holds; raises `LumosError` where it holds anything else."""
    try:
        document = parse(path.read_bytes())
    except OSError as exc:
        raise LumosError(f"{path}: cannot be read: {exc.strerror}", hint=_AGAIN) from exc
    except RefusedError as exc:
        place = exc.problem.place
        where = f"{path}:{place.line}:{place.column}"
        raise LumosError(f"{where}: {exc.problem.message}", hint=_AGAIN) from exc
    if not isinstance(document, dict) or document.get("report") != "diff":
        raise LumosError(f"{path}: is not the JSON of a diff", hint=_AGAIN)
    if not fits(document, Difference):
        from lumos_snap.shape.validation import misfits  # noqa: PLC0415 - takes its time to load

        for one in misfits(document, Difference):
            where = ".".join(map(str, one.pointer))
            raise LumosError(f"{path}: {where}: {one.message}", hint=_AGAIN)
    return value_of(document, Difference)
