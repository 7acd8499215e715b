"""`lumos snap export --from`: all that a catalog holds, as one portable document.

What is read waits on disk until all of it is there: the document begins with figures about itself,
and tells each dataset what is made from it.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from tempfile import TemporaryFile
from typing import IO

import orjson

from lumos_snap.canonical.document_kinds import SNAPSHOT, DocumentKind
from lumos_snap.canonical.export_format import SECTIONS, Count, written
from lumos_snap.errors import LumosError
from lumos_snap.flows.moving.taking import Missed, Origin, Progress, Taken
from lumos_snap.flows.moving.wanted import Wanted
from lumos_snap.schema import Document


class Backup:
    """A document to be, on disk; closing it forgets what was read."""

    def __init__(self) -> None:
        self.missed: list[Missed] = []
        """What could not be read, or is not sound."""
        self.left_out: list[Taken] = []
        """Documents that lack what git has kept of them: it does not fit any more."""
        self._count = Count()
        self._until = ExitStack()
        self._waiting: dict[str, IO[bytes]] = {
            kind.name: self._until.enter_context(TemporaryFile())  # noqa: SIM115 - the stack ends it
            for kind in SECTIONS.values()
        }

    def __enter__(self) -> "Backup":
        return self

    def __exit__(self, *_: object) -> None:
        self._until.close()

    @property
    def datasets(self) -> int:
        """How many datasets are in it."""
        return self._count.datasets

    def gather(self, origin: Origin, wanted: Wanted, progress: Progress) -> None:
        """Read what is wanted of a catalog."""
        named = [one for one in origin.named() if wanted.wants(one)]
        if wanted.datasets and not any(one.kind == SNAPSHOT.name for one in named):
            raise LumosError(f"no dataset of {origin.catalog.name} matches")
        for one in origin.taken(named, progress):
            if isinstance(one, Missed):
                self.missed.append(one)
                continue
            if one.left_out:
                self.left_out.append(one)
            if one.identity.kind == SNAPSHOT.name:
                self._count.add(one.document)
                self._count.link(one.document)
            self._waiting[one.identity.kind].write(orjson.dumps(one.document) + b"\n")

    def pieces(self) -> Iterator[bytes]:
        """The canonical bytes of the document."""
        return written(self._count, {name: self._read(kind) for name, kind in SECTIONS.items()})

    def _read(self, kind: DocumentKind) -> Iterator[Document]:
        waiting = self._waiting[kind.name]
        waiting.seek(0)
        yield from map(orjson.loads, waiting)
