"""The metadata of tables that pyiceberg was given and cannot parse: it keeps it to itself.

A new type in one column makes pyiceberg refuse the whole table. Our own reader knows more types,
and needs nothing but the text. There is no public way to it, for none of pyiceberg's catalogs.
"""

import functools
import json
from collections.abc import Callable
from typing import Any

from lumos_snap.scan.stores.store import BadFileError
from lumos_snap.scan.tables.log_files import inflate

_GZIP = b"\x1f\x8b"
_Errors = tuple[type[Exception], ...]
_PARSING: _Errors = (ValueError, LookupError, TypeError, AttributeError, NotImplementedError)


class UnparsedError(Exception):
    """pyiceberg cannot parse the metadata of a table: the metadata, and where it is stored."""

    def __init__(self, metadata: bytes, location: str) -> None:
        super().__init__(location)
        self.metadata = metadata
        self.location = location


@functools.cache
def keep_unparsed() -> None:
    """Make pyiceberg raise `UnparsedError` where it cannot parse metadata; once for the process.

    Where pyiceberg has other functions than those of the versions that were tried, nothing changes.
    """
    try:
        from pyiceberg.catalog.rest import TableResponse
        from pyiceberg.exceptions import ValidationError
        from pyiceberg.serializers import FromInputFile

        of_file, of_answer = FromInputFile.table_metadata, TableResponse.model_validate_json
    except (ImportError, AttributeError):
        return
    parsing = (*_PARSING, ValidationError)
    FromInputFile.table_metadata = staticmethod(_with_file(of_file, parsing))  # type: ignore[method-assign]
    TableResponse.model_validate_json = _with_answer(of_answer, parsing)  # type: ignore[method-assign]


def _with_file(parse: Callable[..., Any], errors: _Errors) -> Callable[..., Any]:
    """Catalogs that know the place of the metadata file: SQL, Hive, Glue, DynamoDB."""

    @functools.wraps(parse)
    def parsed(input_file: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return parse(input_file, *arguments, **options)
        except errors as exc:
            if isinstance(exc, OSError):
                raise
            with input_file.open() as stream:
                content = stream.read()
            raise UnparsedError(_inflate(content), input_file.location) from exc

    return parsed


def _inflate(content: bytes) -> bytes:
    try:
        return inflate(content) if content.startswith(_GZIP) else content
    except BadFileError:
        return content  # our reader reports it


def _with_answer(parse: Callable[..., Any], errors: _Errors) -> Callable[..., Any]:
    """REST catalogs, whose answer contains the metadata."""

    @functools.wraps(parse)
    def parsed(text: str, *arguments: Any, **options: Any) -> Any:
        try:
            return parse(text, *arguments, **options)
        except errors as exc:
            try:
                answer = json.loads(text)
                metadata = json.dumps(answer["metadata"]).encode()  # noqa: TID251 - only read again
            except (ValueError, LookupError, TypeError):
                raise exc from None
            raise UnparsedError(metadata, answer.get("metadata-location") or "") from exc

    return parsed
