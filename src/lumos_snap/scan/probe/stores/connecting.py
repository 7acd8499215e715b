"""Readers that connect when they open their first file."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from threading import Lock

from lumos_snap.scan.probe.file import BadFileError, File
from lumos_snap.scan.probe.store import Reader
from lumos_snap.scan.probe.stores.arrow_reading import bad_file
from lumos_snap.scan.probe.stores.refusals import RefusedError


class ConnectingReader:
    """What cannot connect says so of each file: it does not end the job of all the others.

    It tries once, and keeps the answer.
    """

    def __init__(self, connect: Callable[[], Reader]) -> None:
        self._connect = connect
        self._lock = Lock()
        self._found: Reader | BadFileError | None = None

    def opened(self, path: str) -> AbstractContextManager[File]:
        """A file, open for ranged reads for as long as the context lasts."""
        with self._lock:
            if self._found is None:
                self._found = self._tried()
        if isinstance(self._found, BadFileError):
            raise BadFileError(self._found.reason, self._found.detail)
        return self._found.opened(path)

    def _tried(self) -> Reader | BadFileError:
        try:
            return self._connect()
        except RefusedError as exc:
            return BadFileError(exc.reason, exc.detail)
        except (OSError, ValueError) as exc:
            return bad_file(str(exc))
