"""The samples and what is made of them.

`python -m tests.canonical.migrations.golden` writes it anew.
"""

import json
from pathlib import Path
from typing import Any

import yaml

from lumos_snap.canonical.encode import encode_document
from lumos_snap.canonical.migrations import MigrationResult, shape_of
from lumos_snap.canonical.paths import join_path, path_of
from lumos_snap.json_object import JsonObject
from lumos_snap.model.entities import Domain, Group, Job, Term, User
from lumos_snap.model.observation import Observation
from lumos_snap.model.snapshot import Snapshot
from lumos_snap.model.urn import parse_urn

HERE = Path(__file__).parent
SAMPLES = tuple(sorted((HERE / "samples").iterdir()))
EXPECTED = HERE / "expected"

ENTITIES = {"users": User, "groups": Group, "glossary": Term, "domains": Domain, "jobs": Job}


class _Loader(yaml.SafeLoader):
    """Numbers that are not integers keep their text."""


_Loader.add_constructor("tag:yaml.org,2002:float", lambda _, node: node.value)


def parsed(sample: Path) -> Any:
    """A sample as the readers of this project parse it."""
    if sample.suffix == ".json":
        return json.loads(sample.read_text(), parse_float=str)
    return yaml.load(sample.read_text(), _Loader)  # noqa: S506 - a safe loader


def upgraded(document: object) -> MigrationResult:
    """What is made of a document of an older shape."""
    shape = shape_of(document)
    assert shape is not None
    return shape.upgrade(document)


def files(result: MigrationResult) -> dict[str, bytes]:
    """The tree that an upgrade stands for, and its notes."""
    made = {f"snapshots/{_path(one)}": encode_document(one, Snapshot) for one in result.snapshots}
    made |= {
        f"observations/{_path(one)}": encode_document(one, Observation)
        for one in result.observations
    }
    for kind, listed in result.entities.items():
        for one in listed:
            path = f"entities/{join_path((kind, one['id']))}"
            made[path] = encode_document(one, ENTITIES[kind])
    made["notes.txt"] = _notes(result).encode()
    return made


def _notes(result: MigrationResult) -> str:
    notes = [f"{n.urn or 'document'}: {n.source} -> {n.target}: {n.message}" for n in result.notes]
    problems = [f"{'/'.join(map(str, p.pointer))}: {p.message}" for p in result.problems]
    return "".join(f"{line}\n" for line in (*notes, *problems))


def _path(document: JsonObject) -> str:
    return path_of(parse_urn(document["urn"]))


def kind_of(path: str) -> type:
    """The class of the document at a path."""
    folder, *more = path.split("/")
    if folder == "entities":
        return ENTITIES[more[0]]
    return Snapshot if folder == "snapshots" else Observation


def _write() -> None:
    for sample in SAMPLES:
        for path, content in files(upgraded(parsed(sample))).items():
            target = EXPECTED / sample.name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


if __name__ == "__main__":
    _write()
