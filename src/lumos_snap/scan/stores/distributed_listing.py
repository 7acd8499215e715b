"""What a task does when a listing is spread: list some prefixes, with the store's own client."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from lumos_snap.scan.executors.probe_result import written
from lumos_snap.scan.executors.task import Task
from lumos_snap.scan.stores.errors import RefusedError
from lumos_snap.scan.stores.object_store import Ask, Elsewhere, Found, Page, Pages, all_pages
from lumos_snap.scan.stores.request_pool import Answers
from lumos_snap.scan.stores.store import Answered, Entry, Trouble, Wants, unheard

if TYPE_CHECKING:
    import pyarrow as pa

SAID = "line string"
"""What a task answers: a page as JSON, and which prefix it is of."""

_Numbered = tuple[int, Page | RefusedError]


@runtime_checkable
class Spreadable(Protocol):
    """A store whose listing falls into prefixes, which other machines can list."""

    @property
    def address(self) -> str:
        """How people write it."""
        ...

    def pages(self) -> Pages:
        """What lists it."""
        ...

    def entries(
        self,
        start: str,
        may_hold: Wants,
        answered: Answered = unheard,
        elsewhere: Elsewhere | None = None,
    ) -> Iterator[Entry | Trouble]:
        """Every file below a folder, in any order; `elsewhere` may be asked for most of them."""
        ...


def listing(store: Spreadable, asks: tuple[Ask, ...], enough: int) -> Task:
    """What Spark maps over the numbers of some asks; each is left when it has found enough."""

    def task(batches: "Iterator[pa.RecordBatch]") -> "Iterator[pa.RecordBatch]":
        import pyarrow as pa

        numbers = [number for batch in batches for number in batch.column("id").to_pylist()]
        for number, page in _answered(store, {one: asks[one] for one in numbers}, enough):
            yield pa.RecordBatch.from_pydict({"line": [_said(number, page)]})

    return task


def heard(line: str) -> _Numbered:
    """What a task has said."""
    said = json.loads(line)
    if "refused" in said:
        return said["number"], RefusedError(*said["refused"])
    found, folders, after = said["page"]
    return said["number"], Page([Found(*one) for one in found], folders, after)


def _said(number: int, page: Page | RefusedError) -> str:
    if isinstance(page, RefusedError):
        return written({"number": number, "refused": page.args})
    return written({"number": number, "page": page})


def _answered(store: Spreadable, asks: dict[int, Ask], enough: int) -> Iterator[_Numbered]:
    try:
        pages = store.pages()
    except RefusedError as exc:
        yield from ((number, exc) for number in asks)
        return
    answers: Answers[int, Page] = Answers(lambda number: _some(pages, asks[number], enough))
    for number in asks:
        answers.ask(number)
    try:
        yield from answers.taken()
    finally:
        answers.end()


def _some(pages: Pages, ask: Ask, enough: int) -> Iterator[Page]:
    found = 0
    for page in all_pages(pages, ask):
        yield page
        found += len(page.found)
        if found >= enough:
            return
