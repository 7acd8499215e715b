"""The tasks of a distributed listing: each lists some prefixes, with the store's own client.

It stands with the stores, because it travels to the workers with them.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lumos_snap.scan.executors.probe_result import encode_evidence
from lumos_snap.scan.executors.task import Task
from lumos_snap.scan.stores.object_store import (
    Elsewhere,
    ListingPage,
    PageRequest,
    Pages,
    StoredObject,
    all_pages,
)
from lumos_snap.scan.stores.request_pool import Answers
from lumos_snap.scan.stores.store import (
    FileEntry,
    OnAnswer,
    StoreRefusedError,
    Trouble,
    Wants,
    ignore_answer,
)

if TYPE_CHECKING:
    import pyarrow as pa

PAGE_SCHEMA = "line string"
"""Result of a task: a page as JSON, and the number of its prefix."""

_Numbered = tuple[int, ListingPage | StoreRefusedError]


@runtime_checkable
class DistributableStore(Protocol):
    """A store whose listing can be divided by prefixes and run on other machines."""

    @property
    def address(self) -> str:
        """The address as users write it."""
        ...

    def pages(self) -> Pages:
        """Return the function that lists it."""
        ...

    def entries(
        self,
        start: str,
        may_hold: Wants,
        answered: OnAnswer = ignore_answer,
        elsewhere: Elsewhere | None = None,
    ) -> Iterator[FileEntry | Trouble]:
        """List every file below a folder, in any order; most of them by `elsewhere`, if given."""
        ...


def make_listing_task(
    store: DistributableStore, asks: tuple[PageRequest, ...], enough: int
) -> Task:
    """Build the function that Spark maps over request numbers; each stops at `enough` objects."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        numbers = [number for batch in batches for number in batch.column("id").to_pylist()]
        for number, page in _answer_asks(store, {one: asks[one] for one in numbers}, enough):
            yield pa.RecordBatch.from_pydict({"line": [_encode_page(number, page)]})

    return task


def parse_page(line: str) -> _Numbered:
    """Decode the result of a task."""
    said = json.loads(line)
    if "refused" in said:
        return said["number"], StoreRefusedError(*said["refused"])
    found, folders, after = said["page"]
    return said["number"], ListingPage([StoredObject(*one) for one in found], folders, after)


def _encode_page(number: int, page: ListingPage | StoreRefusedError) -> str:
    if isinstance(page, StoreRefusedError):
        return encode_evidence({"number": number, "refused": page.args})
    return encode_evidence({"number": number, "page": page})


def _answer_asks(
    store: DistributableStore, asks: dict[int, PageRequest], enough: int
) -> Iterator[_Numbered]:
    try:
        pages = store.pages()
    except StoreRefusedError as exc:
        yield from ((number, exc) for number in asks)
        return
    answers: Answers[int, ListingPage] = Answers(
        lambda number: _list_some(pages, asks[number], enough)
    )
    for number in asks:
        answers.ask(number)
    try:
        yield from answers.taken()
    finally:
        answers.end()


def _list_some(pages: Pages, ask: PageRequest, enough: int) -> Iterator[ListingPage]:
    found = 0
    for page in all_pages(pages, ask):
        yield page
        found += len(page.found)
        if found >= enough:
            return
