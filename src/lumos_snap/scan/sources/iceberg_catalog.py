"""Iceberg catalogs through pyiceberg: listing of tables, retries and error mapping.

pyiceberg passes on the errors of its many clients. They are identified by class name, since most of
those clients are not installed.
"""

import hashlib
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from time import sleep
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.executors.error_codes import DAMAGED, UNREADABLE, VANISHED
from lumos_snap.scan.sources.catalog import (
    CatalogTable,
    LateError,
    Names,
    Wants,
    ask_each,
    ask_once,
    redact_credentials,
    redact_location,
)
from lumos_snap.scan.sources.pyiceberg_internals import UnparsedError, keep_unparsed
from lumos_snap.scan.sources.table_logs import read_iceberg_metadata
from lumos_snap.scan.spark.session import summarize_error
from lumos_snap.scan.stores.store import BadFileError, Trouble
from lumos_snap.scan.tables import log_files

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog as Client


_REFUSED = frozenset(
    ("UnauthorizedError", "OAuthError", "AuthorizationExpiredError", "NoCredentialsError")
)
_CLIENTS = frozenset(("requests", "sqlalchemy", "thrift"))
"""Clients that talk to the catalog itself; readers of metadata files raise other errors."""
_NOT_INSTALLED = frozenset(("NotInstalledError", "ModuleNotFoundError", "ImportError"))
_GONE = frozenset(("FileNotFoundError", "NoSuchTableError", "NoSuchNamespaceError"))
_FORM = (ValueError, LookupError, TypeError)
_ERRNO = re.compile(r"\[Errno -?\d+\] ([^\"')\]]+)")


def transient_errors() -> tuple[type[Exception], ...]:
    """Return the exceptions after which a retry may succeed."""
    from pyiceberg.exceptions import ServerError, ServiceUnavailableError, TooManyRequestsError
    from requests import exceptions

    broken = (exceptions.ChunkedEncodingError, exceptions.ConnectionError, exceptions.Timeout)
    return (*broken, ServerError, ServiceUnavailableError, TooManyRequestsError)


def concerns_all(exc: BaseException) -> bool:
    """Whether an error for one table would occur for every other table."""
    is_of_client = type(exc).__module__.partition(".")[0] in _CLIENTS
    return is_of_client or not _REFUSED.isdisjoint(_class_names(exc))


def make_catalog_error(name: str, exc: BaseException) -> LumosError:
    """Build the error for a catalog that does not answer, or denies access."""
    names = _class_names(exc)
    about, words = f"the Iceberg catalog {name!r}", redact_error(exc)
    if not _NOT_INSTALLED.isdisjoint(names):
        return LumosError(
            f"{about} needs a package: {words}", hint="pip install 'lumos-snap[iceberg]'"
        )
    if type(exc) is ValueError:  # invalid responses of servers raise a subclass
        return LumosError(f"{about}: {words}", hint=_configure_hint(name))
    if not _REFUSED.isdisjoint(names) or "ForbiddenError" in names:
        variable = _variable_prefix(name)
        return OutsideError(
            f"{about} refuses: {words}",
            hint=f"check {variable}CREDENTIAL or {variable}TOKEN, or what .pyiceberg.yaml says",
        )
    return OutsideError(
        f"{about} cannot be read: {words}",
        hint="check its `uri` in .pyiceberg.yaml, and that it answers from here",
    )


def table_trouble(names: Names, exc: BaseException) -> Trouble:
    """Build the trouble for a table that cannot be described."""
    if isinstance(exc, BadFileError):
        return Trouble("/".join(names), exc.reason, exc.detail)
    known = _class_names(exc)
    if not _GONE.isdisjoint(known):
        reason = VANISHED
    elif isinstance(exc, _FORM) or "ValidationError" in known:
        reason = UNREADABLE if isinstance(exc, OSError) else DAMAGED
    else:
        reason = UNREADABLE
    return Trouble("/".join(names), reason, redact_error(exc))


def redact_error(exc: BaseException) -> str:
    """Summarize an error without credentials; prefer the operating system's message."""
    told = summarize_error(exc)
    system = _ERRNO.findall(told) if "HTTPConnection" in told or "HTTPSConnection" in told else ()
    return redact_credentials(system[-1].strip() if system else told)


def _class_names(exc: BaseException) -> frozenset[str]:
    return frozenset(one.__name__ for one in type(exc).mro())


def _configure_hint(name: str) -> str:
    return f"set {_variable_prefix(name)}URI, or write it into .pyiceberg.yaml in your home folder"


def _variable_prefix(name: str) -> str:
    return f"PYICEBERG_CATALOG__{name.upper()}__"


Answer = TypeVar("Answer")

DEADLINE = 25.0
"""Seconds until a response of the catalog."""
_AT_ONCE = 8
_MOST_LATE = 3
_PAUSES = (0.2, 1.0)
"""Seconds before each retry after a transient error."""
_NO_WRITING = {"init_catalog_tables": "false"}
"""Without this, pyiceberg would create the tables of a catalog in an empty database."""


class IcebergCatalog(NamedTuple):
    """A catalog by its name in pyiceberg's configuration."""

    name: str

    def tables(self, wants: Wants) -> Iterator[CatalogTable | Trouble]:
        """Yield every selected table, in all namespaces; views are skipped."""
        clients = _Clients(self.name)
        try:
            yield from self._tables(clients, wants)
        finally:
            clients.close()

    def _tables(self, clients: "_Clients", wants: Wants) -> Iterator[CatalogTable | Trouble]:
        namespaces, unread = self._namespaces(clients)
        yield from unread
        wanted: list[Names] = []
        for listed in self._each(clients, _tables_in, namespaces, most_late=1):
            if isinstance(listed, Trouble):
                yield listed._replace(hides=True)
            else:
                wanted += sorted(filter(wants, listed))
        yield from self._each(clients, _load_table, wanted, most_late=_MOST_LATE)

    def _namespaces(self, clients: "_Clients") -> tuple[list[Names], list[Trouble]]:
        """Return all namespaces of any depth, and troubles for those that could not be listed."""
        level = ask_once(lambda: clients.asked(partial(_namespaces_in, ())), DEADLINE)
        if isinstance(level, BaseException):
            raise make_catalog_error(self.name, level) from level
        found: list[Names] = []
        unread: list[Trouble] = []
        while level:
            found += level
            inner = list(self._each(clients, _namespaces_in, level, most_late=1))
            unread += [one._replace(hides=True) for one in inner if isinstance(one, Trouble)]
            level = [name for one in inner if not isinstance(one, Trouble) for name in one]
        return sorted(found), unread

    def _each(
        self,
        clients: "_Clients",
        ask: "Callable[[Names, Client], Answer]",
        questions: Iterable[Names],
        *,
        most_late: int,
    ) -> Iterator[Answer | Trouble]:
        """Yield the catalog's answers; raise if an error concerns more than one table."""
        late = 0
        answers = ask_each(
            lambda names: clients.asked(partial(ask, names)),
            questions,
            at_once=_AT_ONCE,
            seconds=DEADLINE,
        )
        for names, outcome in answers:
            if not isinstance(outcome, BaseException):
                late = 0
                yield outcome
                continue
            late = late + 1 if isinstance(outcome, LateError) else 0
            if late == most_late or concerns_all(outcome):
                raise make_catalog_error(self.name, outcome) from outcome
            yield table_trouble(names, outcome)


class _Clients:
    """Connections to one catalog: a client serves one thread at a time, and may break."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._idle: deque[Client] = deque()

    def asked(self, ask: "Callable[[Client], Answer]") -> Answer:
        """Return the answer of a client; retry after transient errors."""
        for pause in _PAUSES:
            try:
                return self._once(ask)
            except transient_errors():
                sleep(pause)
        return self._once(ask)

    def close(self) -> None:
        """Close all idle connections; those in use are not closed."""
        while self._idle:
            self._idle.pop().close()

    def _once(self, ask: "Callable[[Client], Answer]") -> Answer:
        try:
            client = self._idle.pop()
        except IndexError:
            client = self._connected()
        answer = ask(client)
        self._idle.append(client)
        return answer

    def _connected(self) -> "Client":
        from pyiceberg.catalog import load_catalog

        keep_unparsed()
        return load_catalog(self._name, **_NO_WRITING)


def _namespaces_in(outer: Names, client: "Client") -> list[Names]:
    """List the direct children; catalogs without nested namespaces refuse, or list all."""
    from pyiceberg.exceptions import BadRequestError, NoSuchNamespaceError

    try:
        found = client.list_namespaces(outer)
    except (BadRequestError, NoSuchNamespaceError, NotImplementedError):
        if outer:
            return []
        raise
    return [one for one in map(tuple, found) if one[:-1] == outer]


def _tables_in(namespace: Names, client: "Client") -> list[Names]:
    return [tuple(one) for one in client.list_tables(namespace)]


def _load_table(names: Names, client: "Client") -> CatalogTable:
    try:
        table = client.load_table(names)
    except UnparsedError as exc:
        held, place = exc.metadata, exc.location
        location = log_files.parse_object(held).get("location")
    else:
        held = table.metadata.model_dump_json(by_alias=True).encode()
        place, location = table.metadata_location, table.metadata.location
    probed = read_iceberg_metadata(held)
    return CatalogTable(
        names=names,
        format=probed.format,
        schema=probed.schema,
        rows=probed.rows,
        version=probed.version,
        location=redact_location(location if isinstance(location, str) else None),
        # Some catalogs do not publish the metadata file.
        tag=redact_location(place) or hashlib.sha256(held).hexdigest(),
    )
