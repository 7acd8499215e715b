"""HDFS: listed folder by folder and read by hdfs-native, which needs no Java."""

import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.stores.lazy_reader import AT_ONCE, LazyReader, call_store
from lumos_snap.scan.stores.request_pool import CONNECT, FIRST, Answers, call_within
from lumos_snap.scan.stores.store import (
    ADDRESS,
    CREDENTIALS,
    NETWORK,
    AbsentError,
    FileEntry,
    OnAnswer,
    RangedFile,
    Reader,
    StoreRefusedError,
    Trouble,
    Wants,
    ignore_answer,
    make_outside_error,
    redact_message,
    remote_file,
)

if TYPE_CHECKING:
    from hdfs_native import Client, FileStatus

T = TypeVar("T")

_PAGE = 1_000
"""Number of names that a NameNode returns at once."""
_SECURITY = {"hadoop.security.authentication": "kerberos"}
"""Lets the client authenticate as the NameNode requires: Kerberos, a token, or only a name.

Without this and without HADOOP_CONF_DIR, it asks a NameNode that requires Kerberos again and again.
"""
_NO_TICKET = "the NameNode requires Kerberos, and there is no valid ticket or token"
_KINIT = (
    "run `kinit`; for workers of a cluster, docs/guides/clusters.md says how they get their tokens"
)
_UNKNOWN_USER = re.compile(r"GSSAPI|Kerberos|[Ss]asl|SASL|AuthenticationException|InvalidToken")
_TOKENS = "HADOOP_TOKEN_FILE_LOCATION"
"""The variable with the file where YARN stores an application's tokens, for all its processes."""


class HdfsStore(NamedTuple):
    """A folder of a cluster."""

    authority: str
    """Host and port, or the name of the cluster; if empty, the machine's default cluster."""
    root: str
    """Absolute path, without a trailing slash."""

    @property
    def at_once(self) -> int:
        """Number of files to read at once, as reads wait for the network."""
        return AT_ONCE

    @property
    def address(self) -> str:
        """The address as users write it."""
        return f"hdfs://{self.authority}{self.root or '/'}"

    @property
    def filesystem(self) -> str:
        """The cluster, as Hadoop names it; empty for the machine's default cluster."""
        return f"hdfs://{self.authority}" if self.authority else ""

    def entries(
        self, start: str, may_hold: Wants, answered: OnAnswer = ignore_answer
    ) -> Iterator[FileEntry | Trouble]:
        """List every file below a folder, in any order; with one or more requests per folder."""
        client = self._first(self._client)
        top = f"{self.root}/{start}" if start else self.root or "/"
        if not self._first(lambda: client.get_file_info(top)).isdir:
            told = StoreRefusedError(error_codes.UNREADABLE, "is not a folder", "name a folder")
            raise make_outside_error(self.address, told)
        answers: Answers[str, list[FileStatus]] = Answers(
            lambda folder: _pages(client, f"{self.root}/{folder}" if folder else self.root or "/")
        )
        answers.ask(start)
        try:
            yield from _walk_folders(answers, may_hold, answered)
        finally:
            answers.end()

    def has(self, path: str) -> bool:
        """Whether a file or folder exists at a path."""
        client, place = self._first(self._client), f"{self.root}/{path}".rstrip("/") or "/"

        def found() -> bool:
            try:
                client.get_file_info(place)
            except FileNotFoundError:
                return False
            return True

        return self._first(found)

    def reader(self) -> Reader:
        """Return the reader of a task."""
        return LazyReader(self._reader)

    def _reader(self) -> "HdfsReader":
        """Connect with one request, so that missing credentials are reported once for all files."""
        client = self._client()
        try:
            call_within(FIRST, lambda: client.get_file_info(self.root or "/"))
        except TimeoutError as exc:
            raise StoreRefusedError(error_codes.UNREACHABLE, str(exc), NETWORK) from exc
        except (OSError, RuntimeError) as exc:
            if _UNKNOWN_USER.search(str(exc)):
                raise StoreRefusedError(error_codes.CLOSED, _NO_TICKET, _KINIT) from exc
        return HdfsReader(client, self.root)

    def _client(self) -> "Client":
        try:
            from hdfs_native import Client
        except ImportError as exc:
            raise AbsentError("HDFS", "hdfs", exc) from exc
        authority = self._reached()
        return Client(f"hdfs://{authority}" if authority else None, _SECURITY)

    def _reached(self) -> str:
        """Resolve the authority to connect to; fail at once if the host does not answer.

        The client would try for minutes. Hadoop's tokens name a NameNode by its IP address, and the
        client looks them up by the text of the URL: if there are tokens, return the address.
        """
        host, _, port = self.authority.rpartition(":")
        if not host or not port.isdigit():
            return self.authority
        try:
            with socket.create_connection((host.strip("[]"), int(port)), CONNECT) as line:
                address = str(line.getpeername()[0])
        except OSError as exc:
            told = f"cannot be reached: {redact_message(exc.strerror or str(exc)).lower()}"
            raise StoreRefusedError(error_codes.UNREACHABLE, told, NETWORK) from exc
        has_tokens = bool(os.environ.get(_TOKENS)) and ":" not in address
        return f"{address}:{port}" if has_tokens else self.authority

    def _first(self, call: Callable[[], T]) -> T:
        """Return the first response within a deadline: by default the client tries for minutes."""
        try:
            return call_within(FIRST, call)
        except TimeoutError as exc:
            told = StoreRefusedError(error_codes.UNREACHABLE, str(exc), NETWORK)
            raise make_outside_error(self.address, told) from exc
        except StoreRefusedError as exc:
            raise make_outside_error(self.address, exc) from exc
        except (OSError, RuntimeError) as exc:
            raise make_outside_error(self.address, _refusal(exc)) from exc


class HdfsReader:
    """Opens the files of one store."""

    def __init__(self, client: "Client", root: str) -> None:
        self._client = client
        self._root = root

    @contextmanager
    def opened(self, path: str) -> Iterator[RangedFile]:
        """Open a file for ranged reads within the context."""
        file = call_store(lambda: self._client.read(f"{self._root}/{path}"))
        yield remote_file(
            len(file), lambda offset, length: call_store(lambda: file.read_range(offset, length))
        )


def _walk_folders(
    answers: "Answers[str, list[FileStatus]]", may_hold: Wants, answered: OnAnswer
) -> Iterator[FileEntry | Trouble]:
    for folder, found in answers.taken():
        answered()
        if isinstance(found, StoreRefusedError):
            yield Trouble(folder, found.reason, found.detail, hides=True)
            continue
        for one in found:
            name = one.path.rpartition("/")[2]
            path = f"{folder}/{name}" if folder else name
            if not one.isdir:
                yield FileEntry(path, one.length, one.modification_time * 1_000_000)
            elif may_hold(path):
                answers.ask(path)


def _pages(client: "Client", folder: str) -> "Iterator[list[FileStatus]]":
    try:
        found = client.list_status(folder)
        while page := call_within(FIRST, lambda: list(islice(found, _PAGE))):
            yield page
    except TimeoutError as exc:
        raise StoreRefusedError(error_codes.UNREACHABLE, str(exc), NETWORK) from exc
    except (OSError, RuntimeError) as exc:
        raise _refusal(exc) from exc


def _refusal(exc: Exception) -> StoreRefusedError:
    """Translate an error of the client."""
    text = str(exc)
    if isinstance(exc, FileNotFoundError):
        return StoreRefusedError(error_codes.VANISHED, "there is no such folder", ADDRESS)
    if _UNKNOWN_USER.search(text):
        return StoreRefusedError(error_codes.UNREADABLE, f"access is denied: {_NO_TICKET}", _KINIT)
    if isinstance(exc, PermissionError) or "AccessControlException" in text:
        return StoreRefusedError(
            error_codes.UNREADABLE, f"access is denied: {redact_message(text)}", CREDENTIALS
        )
    return StoreRefusedError(
        error_codes.UNREACHABLE, f"cannot be reached: {redact_message(text)}", NETWORK
    )
