"""What the server was asked for, in order."""

import hashlib
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.gms.messages import Request, Wrote


@dataclass(slots=True)
class Asked:
    """One request, and the status of its answer; 0 while there is none, and where it was cut."""

    number: int
    method: str
    path: str
    query: Mapping[str, str]
    size: int
    digest: str
    headers: Mapping[str, str]
    wrote: tuple[Wrote, ...] = ()
    question: str = ""
    """What it asks for, where it writes nothing: its query and its body."""
    status: int = 0
    began: float = 0.0
    ended: float = 0.0
    """When it came and when it was answered, on a clock of its own."""

    def as_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "method": self.method,
            "path": self.path,
            "query": dict(self.query),
            "size": self.size,
            "digest": self.digest,
            "wrote": [one._asdict() for one in self.wrote],
            "status": self.status,
        }


@dataclass
class Record:
    """All requests since the start, or since it was cleared."""

    _asked: list[Asked] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _count: int = 0

    def note(self, request: Request) -> Asked:
        with self._lock:
            digest = hashlib.sha256(request.body).hexdigest()
            asked = Asked(
                self._count, request.method, request.path, request.query, len(request.body),
                digest, request.headers, began=time.monotonic(),
            )  # fmt: skip
            self._count += 1
            self._asked.append(asked)
            return asked

    def clear(self) -> None:
        """Forget everything; numbers start again."""
        with self._lock:
            self._asked.clear()
            self._count = 0

    def writes(self) -> list[Asked]:
        """The requests that were to write something."""
        return [one for one in self if one.wrote]

    def reads(self) -> list[Asked]:
        """The others."""
        return [one for one in self if not one.wrote]

    def written(self) -> list[Wrote]:
        """Each aspect that was to be written, one by one."""
        return [one for asked in self for one in asked.wrote]

    def __iter__(self) -> Iterator[Asked]:
        with self._lock:
            return iter(list(self._asked))

    def __len__(self) -> int:
        return len(self._asked)
