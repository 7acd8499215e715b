"""The type of parsed JSON objects: documents, and what files and catalogs hold."""

from collections.abc import ItemsView, Iterator, KeysView, ValuesView
from typing import Any, Protocol, overload


class JsonObject(Protocol):
    """A parsed JSON object, to be read only; its values are what the reader of a key expects."""

    def __getitem__(self, key: str, /) -> Any: ...
    def __contains__(self, key: object, /) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

    @overload
    def get(self, key: str, /) -> Any | None: ...
    @overload
    def get(self, key: str, default: Any, /) -> Any: ...

    def keys(self) -> KeysView[str]:
        """All keys."""
        ...

    def values(self) -> ValuesView[Any]:
        """All values."""
        ...

    def items(self) -> ItemsView[str, Any]:
        """All keys, with their values."""
        ...
