"""Search of a tree: index, query and report."""

from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from decimal import Decimal

import orjson

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.read import read
from lumos_snap.commands.search.options import HUNDRED, SearchOptions
from lumos_snap.commands.search.refresh import Progress, refresh_index
from lumos_snap.documents import Problem
from lumos_snap.errors import LumosError
from lumos_snap.model.observation import Observation
from lumos_snap.report.command_reports import Hit, Match, SearchReport, Suggestion
from lumos_snap.report.envelope import FileFinding
from lumos_snap.search.fingerprints import build_stamper, stamp_of
from lumos_snap.search.index import IndexHit, SearchIndex, highlights, require_sqlite
from lumos_snap.search.index_file import Announce, Shelf, explain_in_memory, open_shelf
from lumos_snap.search.query import MOST_WORDS, Query, parse_query
from lumos_snap.tree import Tree
from lumos_snap.tree.file_check import build_finding, unreadable_problem
from lumos_snap.tree.files import Files
from lumos_snap.tree.folder import FolderFiles


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """A report, and the hits that it shows."""

    report: SearchReport
    met: tuple[IndexHit, ...]


@dataclass(slots=True)
class _Hits:
    """Hits, and remarks about them."""

    met: list[tuple[IndexHit, str | None]]
    total: int
    remarks: list[str]
    findings: list[FileFinding]


def answer(index: SearchIndex, files: FolderFiles, wanted: SearchOptions) -> SearchAnswer:
    """Find the best hits for all words and filters."""
    asked = parse_query(wanted.text)
    words = " AND ".join(f"({word.expression})" for word in asked.words)
    hits = _hits(index, files, wanted, asked, words)
    report = SearchReport(
        source=files.label,
        query=wanted.text.encode("utf-8", "backslashreplace").decode(),
        total=hits.total,
        hits=tuple(_build_hits(index, hits, words)),
        suggestions=() if hits.total else tuple(_suggestions(index, asked)),
        remarks=(*_remark_on_words(asked, wanted), *hits.remarks),
        findings=(*_iter_unsearchable(index), *hits.findings),
    )
    return SearchAnswer(report, tuple(met for met, _ in hits.met))


def _hits(
    index: SearchIndex, files: FolderFiles, wanted: SearchOptions, asked: Query, words: str
) -> _Hits:
    if wanted.text.strip() and not asked.words:
        return _Hits([], 0, [], [])
    expression = " AND ".join(filter(None, (words, *wanted.filters)))
    if wanted.least is not None:
        return _filter_by_quality(index, files, wanted, expression)
    found = [(met, None) for met in index.find(expression, wanted.limit)]
    is_cut = wanted.limit and len(found) == wanted.limit
    return _Hits([*found], index.total(expression) if is_cut else len(found), [], [])


def _filter_by_quality(
    index: SearchIndex, files: FolderFiles, wanted: SearchOptions, expression: str
) -> _Hits:
    """Keep hits with sufficient data quality; the observation of each one is read."""
    hits = _Hits([], 0, [], [])
    unknown = worse = 0
    for met in index.find(expression, 0):
        share, wrong = read_quality(files, met.path)
        hits.findings += [wrong] if wrong else []
        if share is None:
            unknown += 1
        elif wanted.least is not None and share < wanted.least:
            worse += 1
        else:
            hits.total += 1
            if not wanted.limit or len(hits.met) < wanted.limit:
                hits.met.append((met, format_share(share)))
    hits.remarks += _remark_on_quality(hits.total + worse, unknown)
    return hits


def _iter_unsearchable(index: SearchIndex) -> Iterator[FileFinding]:
    """Findings for files that cannot be searched, by path."""
    for path, plain in index.findings():
        line, column, rule, message, hint = orjson.loads(plain)
        yield FileFinding(
            path=path, line=line, column=column, rule=rule, message=message, hint=hint
        )


def _remark_on_quality(known: int, unknown: int) -> Iterator[str]:
    if unknown and not known:
        yield (
            f"nothing says how good the data of {_datasets(unknown)} is that would be found: "
            "there are no observations of quality"
        )
    elif unknown:
        yield f"{_datasets(unknown)} left out: no observation says how good the data is"


def _datasets(number: int) -> str:
    return f"{number:,} {'dataset' if number == 1 else 'datasets'}"


def _remark_on_words(asked: Query, wanted: SearchOptions) -> Iterator[str]:
    if wanted.text.strip() and not asked.words:
        yield "there is no word in what is searched for: words have letters or digits"
    if asked.left_out:
        yield f"only the first {MOST_WORDS} words are searched for, {asked.left_out:,} are left out"


def _suggestions(index: SearchIndex, asked: Query) -> Iterator[Suggestion]:
    """Suggest alternatives for each word without a match."""
    from lumos_snap.search.index import suggest_words  # noqa: PLC0415 - only where nothing was found

    for word in asked.words:
        if not index.is_known(word):
            yield Suggestion(word=word.text, like=suggest_words(index, word.text))


def _build_hits(index: SearchIndex, hits: _Hits, words: str) -> Iterator[Hit]:
    texts = (index.texts(met) for met, _ in hits.met)
    places = highlights(texts, words) if words else [{} for _ in hits.met]
    for (met, quality), where in zip(hits.met, places, strict=True):
        card = orjson.loads(met.card)
        for name in ("owners", "tags", "terms"):
            card[name] = tuple(card[name])
        matches = tuple(Match(field=name, text=text) for name in where for text in where[name])
        yield Hit(**card, path=met.path, quality=quality, matches=matches)


def read_quality(files: Files, path: str) -> tuple[Decimal | None, FileFinding | None]:
    """The quality share in a snapshot's observation, or the problem of the observation."""
    place = OBSERVATION.folder + path.removeprefix(SNAPSHOT.folder)
    try:
        content = files.read(place)
    except LumosError as exc:
        return None, build_finding(place, unreadable_problem(OSError(exc.message)))
    if content is None:
        return None, None
    reading = read(content, Observation)
    if reading.document is None:
        return None, _first(place, reading.problems)
    quality = reading.document.get("quality", {})
    return _share(quality.get("score"), quality.get("score_of")), None


def _first(place: str, problems: tuple[Problem, ...]) -> FileFinding:
    return build_finding(place, problems[0])


def _share(score: str | None, best: str | None) -> Decimal | None:
    """Convert a score to a share; its maximum defaults to 1, or to 100 for scores above 1."""
    if score is None:
        return None
    number = Decimal(score)
    most = Decimal(best) if best is not None else (HUNDRED if number > 1 else Decimal(1))
    return number / most if most > 0 else None


def format_share(share: Decimal) -> str:
    """Format a share with four digits."""
    return format(round(share, 4).normalize(), "f")


SMALL = 10_000
"""In trees up to this size, each search checks every file."""
LATELY = 10_000_000_000
"""For this many nanoseconds, a complete check of a larger tree stays valid."""


@dataclass(frozen=True, slots=True)
class SearchContext:
    """Context of a search: the time, callbacks, and how thoroughly files are checked."""

    now: int
    announce: Announce
    progress: Progress
    thorough: bool = False
    small: int = SMALL


def search(tree: Tree, wanted: SearchOptions, ways: SearchContext) -> SearchReport:
    """Find the datasets that match all words and filters, best first."""
    if not (wanted.text.strip() or wanted.filters):
        raise LumosError("there is nothing to search for", hint="`lumos snap ls` lists everything")
    require_sqlite()
    files = _files(tree)
    with open_shelf(files.root, ways.announce) as held:
        found = None if held is None else _search_index(held, files, wanted, ways)
        return _in_memory(files, wanted, ways) if found is None else found


def _files(tree: Tree) -> FolderFiles:
    tree.files.folder()  # raises where there is no working tree
    if not isinstance(tree.files, FolderFiles):
        raise LumosError(f"{tree.label} cannot be searched", hint="search the working tree")
    return tree.files


def _in_memory(files: FolderFiles, wanted: SearchOptions, ways: SearchContext) -> SearchReport:
    with closing(SearchIndex(None)) as index:
        refresh_index(index, files, build_stamper(ways.now), whole=True, progress=ways.progress)
        return answer(index, files, wanted).report


def _search_index(
    held: Shelf, files: FolderFiles, wanted: SearchOptions, ways: SearchContext
) -> SearchReport | None:
    """Search the index beside the tree; None where no index can be stored there."""
    import sqlite3  # noqa: PLC0415 - some Pythons are built without it

    why = ""
    for _ in range(2):
        try:
            with held.index() as (index, looked_at):
                return _Search(held, index, looked_at, files, wanted, ways).answer().report
        except (sqlite3.Error, ValueError, OSError) as exc:  # damaged, or the disk is full
            why = str(exc)
            with suppress(OSError):
                held.discard()
    ways.announce(explain_in_memory(f"none can be kept: {why}"))
    return None


@dataclass(frozen=True, slots=True)
class _Search:
    """A search with the index beside the tree."""

    held: Shelf
    index: SearchIndex
    looked_at: int
    files: FolderFiles
    wanted: SearchOptions
    ways: SearchContext

    def answer(self) -> SearchAnswer:
        """Update the index, then search it."""
        whole = self._must_look_at_all()
        self._follow(whole=whole)
        found = answer(self.index, self.files, self.wanted)
        if whole or not self._is_stale(found):
            return found
        self._follow(whole=True)
        return answer(self.index, self.files, self.wanted)

    def _must_look_at_all(self) -> bool:
        lately = 0 <= self.ways.now - self.looked_at <= LATELY
        return self.ways.thorough or not lately or self._is_small()

    def _is_small(self) -> bool:
        return self.index.count() <= self.ways.small

    def _follow(self, *, whole: bool) -> None:
        stamp = build_stamper(self.ways.now)
        is_changed = refresh_index(
            self.index, self.files, stamp, whole=whole, progress=self.ways.progress
        )
        if is_changed or (whole and not self._is_small()):
            looked_at = self.ways.now if whole else self.looked_at
            self.held.seal(looked_at, is_changed=is_changed)

    def _is_stale(self, found: SearchAnswer) -> bool:
        """Whether a file among the hits differs from its state in the index."""
        stamp = build_stamper(self.ways.now)
        return any(
            not met.stamp or stamp_of(self.files, met.path, stamp) != met.stamp for met in found.met
        )
