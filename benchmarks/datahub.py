"""Beside another tool: DataHub's source for data lakes, on the same files.

    python -m benchmarks.datahub [DATASETS]

Both describe one lake, of which everything is known (`known_lake.py`), in turn and with warm
caches; what they say is compared with what is true. DataHub lives in an environment of its own,
which is made once and kept in the cache of the tests.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import known_lake, scans
from benchmarks.known_lake import Truth
from benchmarks.scans import LUMOS, STARTS, Step, forgotten, medians, nothing
from tests.world.servers.processes import environment

VERSION = "1.7.0.17"
SIZES = (20, 1_000)
_TOKEN = re.compile(r"\[[^\]]*\]\.?")
"""What DataHub writes into the path of a field beside names."""


@dataclass
class Said:
    """What a tool says of one dataset."""

    nullable: dict[str, bool] = field(default_factory=dict)
    """Of its columns, and of their members by path."""
    partitions: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Score:
    """How much of what is true was said: so many of so many."""

    datasets: tuple[int, int]
    columns: tuple[int, int]
    nullability: tuple[int, int]
    nested: tuple[int, int]
    partitions: tuple[int, int]


def score(truths: Mapping[str, Truth], said: Mapping[str, Said]) -> Score:
    """Compare what was said with what is true."""
    pairs = [(truth, said.get(name, Said())) for name, truth in truths.items()]
    return Score(
        datasets=(sum(name in said for name in truths), len(truths)),
        columns=_found((one.columns, other.nullable) for one, other in pairs),
        nullability=_found((one.nullable.items(), other.nullable.items()) for one, other in pairs),
        nested=_found((one.nested, other.nullable) for one, other in pairs),
        partitions=_found((one.partitions, other.partitions) for one, other in pairs),
    )


def _found(pairs: Iterable[tuple[Iterable[Any], Iterable[Any]]]) -> tuple[int, int]:
    found = [(len(set(true) & set(said)), len(set(true))) for true, said in pairs]
    return sum(one for one, _ in found), sum(one for _, one in found)


def said_by_lumos(home: Path) -> dict[str, Said]:
    """What the snapshots of a tree say."""
    said = {}
    for path in (home / "snapshots").rglob("*.json"):
        snapshot = json.loads(path.read_bytes())
        partitions = snapshot["storage"].get("partitioning", ())
        names = {one.get("field") or one["name"] for one in partitions}
        fields = dict(_flat(snapshot.get("schema", {}).get("fields", ()), ""))
        said[snapshot["name"]] = Said(fields, names)
    return said


def _flat(fields: Iterable[Mapping[str, Any]], above: str) -> Iterator[tuple[str, bool]]:
    for one in fields:
        path = f"{above}{one['name']}"
        yield path, one["nullable"]
        yield from _flat(one.get("fields", ()), f"{path}.")


def said_by_datahub(output: Path, truths: Iterable[str]) -> dict[str, Said]:
    """What its records say; a partition counts as found where any field is called so."""
    known, said = set(truths), dict[str, Said]()
    for record in json.loads(output.read_bytes()):
        name = record["entityUrn"].rpartition(",")[0].rpartition("/")[2]
        if name in known and record["aspectName"] == "schemaMetadata":
            fields = record["aspect"]["json"]["fields"]
            nullable = {_path(one): one.get("nullable", False) for one in fields}
            said[name] = Said(nullable, set(nullable))
    return said


def _path(said: Mapping[str, Any]) -> str:
    return _TOKEN.sub("", said["fieldPath"])


def recipe(folder: Path) -> Path:
    """What DataHub is asked for: every folder of the lake is a table, with all its partitions."""
    asked = {
        "pipeline_name": "lake",
        "source": {
            "type": "s3",
            "config": {
                "platform": "file",
                "add_partition_columns_to_schema": True,
                "profiling": {"enabled": False},
                "path_specs": [
                    {
                        "include": f"{folder}/lake/{{table}}/**",
                        "allow_double_stars": True,
                        "traversal_method": "ALL",
                    }
                ],
            },
        },
        "sink": {"type": "file", "config": {"filename": str(folder / "datahub.json")}},
    }
    place = folder / "recipe.json"
    place.write_text(json.dumps(asked))
    return place


@dataclass(frozen=True)
class Result:
    """What was measured on a lake of one size."""

    datasets: int
    seconds: Mapping[str, float]
    scores: Mapping[str, Score]


def measured(datasets: int) -> Result:
    """Run both in turn on one lake."""
    folder = Path(tempfile.mkdtemp(prefix="lumos-bench-"))
    try:
        truths = known_lake.build(folder / "lake", datasets)
        for name in ("home", "again"):
            command = [LUMOS, "snap", "init", name]
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
        with _starts(folder):
            seconds = medians(folder, _steps(folder))
        said = {
            "lumos": said_by_lumos(folder / "home"),
            "datahub": said_by_datahub(folder / "datahub.json", truths),
        }
    finally:
        shutil.rmtree(folder)
    return Result(datasets, seconds, {name: score(truths, one) for name, one in said.items()})


@contextmanager
def _starts(folder: Path) -> Iterator[None]:
    """Each way to start Spark, made ready once in a cache of its own."""
    try:
        for name, (before, _) in STARTS.items():
            _run(folder, name, before)
        yield
    finally:
        for name, (_, after) in STARTS.items():
            _run(folder, name, after)


def _run(folder: Path, name: str, arguments: tuple[str, ...]) -> None:
    if arguments:
        command = [*_in_cache(folder, name), LUMOS, *arguments]
        home, env = folder / "home", scans.environment()
        subprocess.run(command, cwd=home, check=True, capture_output=True, env=env)


def _in_cache(folder: Path, name: str) -> list[str]:
    return ["env", f"XDG_CACHE_HOME={folder / 'cache' / name.replace(' ', '-')}"]


def _steps(folder: Path) -> dict[str, Step]:
    theirs = environment("datahub", f"acryl-datahub[s3]=={VERSION}", "fastavro")
    quiet = ["env", f"HOME={folder}", "DATAHUB_TELEMETRY_ENABLED=false"]
    ingest = [str(theirs / "bin/datahub"), "ingest", "-c", str(recipe(folder))]
    first, again = (
        ["env", "-C", name, LUMOS, "snap", "scan", "../lake", "--engine", "local"]
        for name in ("home", "again")
    )
    scan = ["env", "-C", "home", LUMOS, "snap", "scan", "../lake"]
    by_spark: dict[str, Step] = {
        name: ([*_in_cache(folder, name), *scan], lambda: forgotten(folder / "home"))
        for name in STARTS
    }
    return {
        **by_spark,
        "cold": (first, lambda: forgotten(folder / "home")),
        "unchanged": (again, nothing),
        "datahub": ([*quiet, *ingest], nothing),
    }


_CELLS = ("datasets", "columns", "nullability", "nested", "partitions")
_HEAD = """\
| datasets | tool | time | datasets found | columns found | nullability right | nested fields \
found | partition columns found |
|---|---|---|---|---|---|---|---|"""
_CLOSING = f"""\
DataHub is acryl-datahub {VERSION}: its source for data lakes (`s3`, on a folder), without
profiling, into a file. All ran in turn on the same files, three times after a first run; the times
are medians, start-up included. Eight kinds of datasets take turns: Parquet, Avro, ORC, CSV, JSON,
Parquet in hive partitions, Parquet whose columns changed, and Delta. Nullability is asked only
where files state it: Parquet, Avro and Delta. A column that was not found is not right.

DataHub's source finds partitions on S3, and not in folders; for Delta and Iceberg tables it has
other sources, which must be set up. It spells out the members of a Parquet struct in the name of
its type only. It does more than is measured here: it fills a catalog with a search and a user
interface, profiles values, makes a container of each folder, and takes over the tags of buckets and
objects."""


HEADING = "## Beside DataHub"


def section() -> str:
    """The section of the page."""
    return f"{HEADING}\n\n{table().strip()}"


def table(sizes: Iterable[int] = SIZES) -> str:
    """Both tools on lakes of some sizes, as Markdown."""
    lines = [_HEAD]
    for result in map(measured, sizes):
        ours, theirs = (_cells(result.scores[name]) for name in ("lumos", "datahub"))
        rows = (
            *((f"`lumos snap scan`, the first time, by {name}", name, ours) for name in STARTS),
            ("`lumos snap scan --engine local`, the first time", "cold", ours),
            ("`lumos snap scan --engine local`, nothing changed", "unchanged", ours),
            ("`datahub ingest`", "datahub", theirs),
        )
        for tool, name, cells in rows:
            time = f"{result.seconds[name]:,.2f} s"
            lines.append(f"| {' | '.join((f'{result.datasets:,}', tool, time, *cells))} |")
    return "\n".join([*lines, "", _CLOSING, ""])


def _cells(of: Score) -> list[str]:
    counted = (getattr(of, name) for name in _CELLS)
    return [f"{found:,} of {there:,}" for found, there in counted]


if __name__ == "__main__":
    print(table(tuple(map(int, sys.argv[1:])) or SIZES))
