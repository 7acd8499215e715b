"""Delta Lake: a checkpoint and the commits since, put together as the protocol says.

Data files are never opened. Which of them are live is worked out from the log: the newest word
about a file counts.
"""

from collections.abc import Sequence

from lumos_snap.scan.probe import reasons
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.probed import Probed, written
from lumos_snap.scan.probe.store import Reader
from lumos_snap.scan.probe.tables import names, text
from lumos_snap.scan.probe.tables.delta_checkpoint import Checkpoint
from lumos_snap.scan.probe.tables.delta_replay import Replay
from lumos_snap.scan.probe.tables.delta_schema import metadata, protocol

Part = tuple[names.DeltaFile, str]


def probe(reader: Reader, root: str, parts: Sequence[str]) -> Probed:
    """What the log says of the table's newest version."""
    found = [(names.delta(path.rpartition("/")[2]), path) for path in parts]
    known = sorted((file, path) for file, path in found if file is not None)
    checkpoint = [one for one in known if not one[0].is_commit]
    commits = [one for one in known if one[0].is_commit]
    version = _newest(checkpoint, commits)
    replay = Replay()
    for _, path in commits:
        with text.opened(reader, path) as file:
            for line, is_cut in text.lines(file):
                replay.take(text.parsed(line, is_cut=is_cut))
    folder = f"{root}/{names.DELTA}" if root else names.DELTA
    Checkpoint(reader, folder, replay).read([path for _, path in checkpoint])
    return _said(replay, version)


def _newest(checkpoint: Sequence[Part], commits: Sequence[Part]) -> int:
    """The version that the log reaches, if no step to it is missing."""
    lacking = {part for file, _ in checkpoint for part in range(1, file.parts + 1)}
    lacking -= {file.part for file, _ in checkpoint}
    if lacking:
        name = checkpoint[0][1].rpartition("/")[2]
        raise BadFileError(reasons.DAMAGED, f"{name}: part {min(lacking)} of it is missing")
    reached = checkpoint[0][0].version if checkpoint else -1
    for file, _ in commits:
        if file.version != reached + 1:
            name = f"{reached + 1:020}.json"
            raise BadFileError(reasons.DAMAGED, f"{name}: is missing in {names.DELTA}")
        reached = file.version
    return reached


def _said(replay: Replay, version: int) -> Probed:
    if replay.metadata is None or replay.protocol is None:
        lacks = "metaData" if replay.metadata is None else "protocol"
        raise BadFileError(reasons.DAMAGED, f"{names.DELTA} says no {lacks}")
    counted = replay.counted()
    needs = protocol(replay.protocol)
    evidence = {
        **metadata(replay.metadata),
        "protocol": needs,
        "clustering": replay.clustering,
        "version": version,
        "files": counted.files,
        "bytes": counted.bytes,
        "vectors": counted.vectors,
    }
    said = f"delta reader {needs['reader']} writer {needs['writer']}"
    return Probed("delta", written(evidence), counted.rows, said)
