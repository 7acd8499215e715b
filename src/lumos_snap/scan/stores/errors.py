"""Errors of stores, with messages that contain no credentials."""

import re
from typing import TYPE_CHECKING

from lumos_snap.scan.executors.error_codes import UNREADABLE

if TYPE_CHECKING:
    from lumos_snap.errors import LumosError

_QUERY = re.compile(r"(\w+://[^\s?\"'<>]*)\?[^\s\"'<>]*")
_PATH = re.compile(r"(?: with)? url: \S+")  # the end of urllib3's messages
_USER = re.compile(r"(?<=://)[^/@\s]*@")
_SECRET = re.compile(r"(?i)\b(sig|signature|token|password|secret|key|x-amz-[\w-]+)=[^\s&\"']+")
_LONGEST = 200

CREDENTIALS = "check the credentials: docs/guides/stores.md says where they are looked for"
ADDRESS = "check the address in lumos.yaml"
NETWORK = "check the address, and that this machine reaches it"


class StoreRefusedError(Exception):
    """An error of a store or of the connection: one of `error_codes`, a message and a hint."""

    def __init__(self, reason: str, detail: str, hint: str) -> None:
        super().__init__(reason, detail, hint)
        self.reason = reason
        self.detail = detail
        self.hint = hint


class AbsentError(StoreRefusedError):
    """The client of a store is not installed, here or in the workers."""

    def __init__(self, store: str, extra: str, missing: ImportError) -> None:
        detail = f"reading {store} needs {missing.name or extra}, which is not installed"
        super().__init__(UNREADABLE, detail, f"pip install 'lumos-snap[{extra}]'")


def redact_message(text: str) -> str:
    """Return the first line of a client's message, without anything that could be a secret."""
    lines = text.replace("\\n", "\n").splitlines()
    line = next((line.strip() for line in lines if line.strip()), "")
    line = _SECRET.sub(r"\1=…", _USER.sub("", _QUERY.sub(r"\1", _PATH.sub("", line))))
    return line[:_LONGEST].rstrip(".: ")


def make_outside_error(address: str, refused: StoreRefusedError) -> "LumosError":
    """Build the error that ends a scan, because a store cannot be reached."""
    # Workers do not have this package: what only the driver needs is imported where it is used.
    from lumos_snap.errors import LumosError, OutsideError  # noqa: PLC0415

    kind = LumosError if isinstance(refused, AbsentError) else OutsideError
    return kind(f"{address}: {refused.detail}", hint=refused.hint)
