"""A plan in a file: what somebody looked at is what is carried out, or nothing is."""

from pathlib import Path

import orjson

from lumos_snap.commands.sync.command import Sync
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.tree.atomic import replace_file

FORMAT = 1


def saved(sync: Sync, file: Path) -> None:
    """Write what tells this plan from any other: it holds no metadata of its own."""
    said = {"sync-plan": FORMAT, **_marks(sync), "writes": len(sync.plan.writes)}
    replace_file(file, orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n")


def require_same(sync: Sync, file: Path) -> None:
    """Refuse a plan that is not the one in the file: the tree or the catalog has moved."""
    try:
        found = orjson.loads(file.read_bytes())
    except OSError as exc:
        raise LumosError(
            f"{file}: cannot be read: {exc.strerror}", hint="`--out FILE` makes a plan"
        ) from exc
    except orjson.JSONDecodeError as exc:
        raise LumosError(f"{file}: is no plan", hint="`--out FILE` makes one") from exc
    if not isinstance(found, dict) or found.get("sync-plan") != FORMAT:
        raise LumosError(f"{file}: is no plan of this version", hint="`--out FILE` makes one")
    marks = _marks(sync)
    if found.get("catalog") != marks["catalog"]:
        raise LumosError(
            f"{file}: is a plan for {found.get('catalog')}", hint=f"--to {found.get('catalog')}"
        )
    if any(found.get(name) != said for name, said in marks.items()):
        raise OutsideError(
            f"{file}: the tree or the catalog has changed since: nothing was written",
            hint="plan again, and look at it",
        )


def _marks(sync: Sync) -> dict[str, str | None]:
    return {
        "catalog": sync.catalog.name,
        "base": sync.base.commit,
        "hash": sync.plan.hash(),
    }
