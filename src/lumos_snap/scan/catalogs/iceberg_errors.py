"""What pyiceberg's errors mean: it has many clients inside, and passes on what each of them raises.

They are known by name, since most of those clients are not installed.
"""

import re

from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.scan.catalogs.catalog import Names
from lumos_snap.scan.catalogs.withheld import without_credentials
from lumos_snap.scan.probe.file import BadFileError
from lumos_snap.scan.probe.reasons import DAMAGED, UNREADABLE, VANISHED
from lumos_snap.scan.probe.store import Trouble
from lumos_snap.scan.session import gist

_REFUSED = frozenset(
    ("UnauthorizedError", "OAuthError", "AuthorizationExpiredError", "NoCredentialsError")
)
_CLIENTS = frozenset(("requests", "sqlalchemy", "thrift"))
"""Whoever speaks with the catalog itself; what reads metadata files raises other errors."""
_NOT_INSTALLED = frozenset(("NotInstalledError", "ModuleNotFoundError", "ImportError"))
_GONE = frozenset(("FileNotFoundError", "NoSuchTableError", "NoSuchNamespaceError"))
_FORM = (ValueError, LookupError, TypeError)
_ERRNO = re.compile(r"\[Errno -?\d+\] ([^\"')\]]+)")


def fleeting() -> tuple[type[Exception], ...]:
    """What is raised where the same question may be answered in a moment."""
    from pyiceberg.exceptions import ServerError, ServiceUnavailableError, TooManyRequestsError
    from requests import exceptions

    broken = (exceptions.ChunkedEncodingError, exceptions.ConnectionError, exceptions.Timeout)
    return (*broken, ServerError, ServiceUnavailableError, TooManyRequestsError)


def concerns_all(exc: BaseException) -> bool:
    """Whether an error that came up for one table would come up for every other."""
    is_of_client = type(exc).__module__.partition(".")[0] in _CLIENTS
    return is_of_client or not _REFUSED.isdisjoint(_names(exc))


def lost(name: str, exc: BaseException) -> LumosError:
    """A catalog that does not answer, or refuses to."""
    names = _names(exc)
    about, words = f"the Iceberg catalog {name!r}", gist_of(exc)
    if not _NOT_INSTALLED.isdisjoint(names):
        return LumosError(
            f"{about} needs a package: {words}", hint="pip install 'lumos-snap[iceberg]'"
        )
    if type(exc) is ValueError:  # what servers say wrongly is a class below it
        return LumosError(f"{about}: {words}", hint=_configure(name))
    if not _REFUSED.isdisjoint(names) or "ForbiddenError" in names:
        variable = _variable(name)
        return OutsideError(
            f"{about} refuses: {words}",
            hint=f"check {variable}CREDENTIAL or {variable}TOKEN, or what .pyiceberg.yaml says",
        )
    return OutsideError(
        f"{about} cannot be read: {words}",
        hint="check its `uri` in .pyiceberg.yaml, and that it answers from here",
    )


def trouble(names: Names, exc: BaseException) -> Trouble:
    """A table that cannot be described, and why."""
    if isinstance(exc, BadFileError):
        return Trouble("/".join(names), exc.reason, exc.detail)
    known = _names(exc)
    if not _GONE.isdisjoint(known):
        reason = VANISHED
    elif isinstance(exc, _FORM) or "ValidationError" in known:
        reason = UNREADABLE if isinstance(exc, OSError) else DAMAGED
    else:
        reason = UNREADABLE
    return Trouble("/".join(names), reason, gist_of(exc))


def gist_of(exc: BaseException) -> str:
    """What an error comes down to; the system's own words where it has some."""
    told = gist(exc)
    system = _ERRNO.findall(told) if "HTTPConnection" in told or "HTTPSConnection" in told else ()
    return without_credentials(system[-1].strip() if system else told)


def _names(exc: BaseException) -> frozenset[str]:
    return frozenset(one.__name__ for one in type(exc).mro())


def _configure(name: str) -> str:
    return f"set {_variable(name)}URI, or write it into .pyiceberg.yaml in your home folder"


def _variable(name: str) -> str:
    return f"PYICEBERG_CATALOG__{name.upper()}__"
