"""A tree of realistic snapshots, made as fast as a disk allows."""

from pathlib import Path

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.canonical.encode import encode_document
from lumos_snap.model.snapshot import Snapshot

_TYPES = (
    {"type": "STRING"},
    {"type": "INT64"},
    {"type": "TIMESTAMP", "unit": "us", "timezone": "UTC"},
    {"type": "DECIMAL", "precision": 12, "scale": 2},
    {"type": "FLOAT64"},
    {"type": "DATE"},
)


def document(number: int, *, columns: int = 20) -> dict[str, object]:
    """A snapshot of a dataset in a lake: columns, partitions, owners, words, lineage."""
    urn = f"lumos://s3/lake/area{number % 40}/topic{number % 400}/table_{number}"
    fields = [
        {"name": f"column_{n}", **_TYPES[(n + number) % len(_TYPES)], "nullable": n > 0}
        for n in range(columns)
    ]
    nested = [{"name": f"member_{n}", "type": "STRING", "nullable": True} for n in range(3)]
    fields.append({"name": "page", "type": "STRUCT", "nullable": True, "fields": nested})
    return {
        "lumos_version": "1.0.0",
        "urn": urn,
        "name": f"table_{number}",
        "platform": "s3",
        "environment": "PROD",
        "storage": {
            "format": "parquet",
            "location": f"s3://lake/area{number % 40}/topic{number % 400}/table_{number}/",
            "partitioning": [{"name": "day", "type": "DATE", "format": "yyyy-MM-dd"}],
        },
        "schema": {"fields": fields, "primary_key": ["column_0"]},
        "contract": {"lifecycle": "stable"},
        "lineage": {"upstream": [{"urn": f"lumos://kafka/prod/events_{number % 97}"}]},
        "ownership": {"owners": [{"group": f"team-{number % 30}", "type": "TECHNICAL_OWNER"}]},
        "governance": {"domain": f"domain-{number % 12}", "tags": ["tier-1", "raw"]},
        "documentation": {"description": f"Events of kind {number}, one row per event."},
    }


def content(number: int) -> bytes:
    """The canonical bytes of a snapshot of the lake."""
    return encode_document(document(number), Snapshot)


def build(root: Path, datasets: int) -> list[str]:
    """Write the tree's files; returns their paths."""
    (root / "lumos.yaml").write_text("version: 1\nenvironment: PROD\n")
    (root / ".gitignore").write_text(".lumos/\nobservations/\n")
    paths = []
    for number in range(datasets):
        path = SNAPSHOT.path_of(document(number))
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content(number))
        paths.append(path)
    return paths
