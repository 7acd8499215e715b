"""Fixtures from tables: their logs without data files in an archive, and what engines said."""

import io
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "scan/tables/engine_tables"
_WIDTH = 100
_KEPT = {
    "delta": re.compile(r".*/_delta_log/(_sidecars/)?[^/_.][^/]*\.(json|parquet)"),
    "iceberg": re.compile(r".*/metadata/([^/]+\.metadata\.json|version-hint\.text)"),
    "hudi": re.compile(
        r"[^/]+/\.hoodie/(hoodie\.properties|(timeline/)?\d+(_\d+)?\.(delta|replace)?commit)"
    ),
}
"""Files of logs that say what a table is. Manifests, plans, indexes and checksums are left out."""


def logs(folder: Path, engine: str) -> Iterator[Path]:
    """The files to keep, in a stable order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and _KEPT[engine].fullmatch(path.relative_to(folder).as_posix()):
            yield path


def write(folder: Path, engine: str, title: str) -> int:
    """Replace the fixtures of an engine by its tables in a folder, and count them."""
    FIXTURES.mkdir(exist_ok=True)
    with tarfile.open(FIXTURES / f"{engine}.tar.xz", "w:xz", preset=9) as archive:
        for path in logs(folder, engine):
            held = path.read_bytes()
            info = tarfile.TarInfo(path.relative_to(folder).as_posix())
            info.size = len(held)
            archive.addfile(info, io.BytesIO(held))
    said = json.loads((folder / "said.json").read_text())["tables"]
    (FIXTURES / f"{engine}.json").write_text(f"{readable({'engine': title, 'tables': said})}\n")
    return len(said)


def readable(value: Any, indent: int = 0) -> str:
    """JSON in which what fits into a line stands in one."""
    short = json.dumps(value, ensure_ascii=False)
    if len(short) + indent <= _WIDTH or not isinstance(value, dict | list):
        return short
    named = (
        [f"{json.dumps(name, ensure_ascii=False)}: " for name in value]
        if isinstance(value, dict)
        else [""] * len(value)
    )
    held = value.values() if isinstance(value, dict) else value
    lines = (
        " " * (indent + 1) + name + readable(one, indent + 1)
        for name, one in zip(named, held, strict=True)
    )
    first, last = "{}" if isinstance(value, dict) else "[]"
    return f"{first}\n" + ",\n".join(lines) + f"\n{' ' * indent}{last}"
