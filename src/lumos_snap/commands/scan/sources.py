"""Scanning of all sources, which share one engine; catalogs as sources, without reading files."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from lumos_snap.canonical.document_kinds import SNAPSHOT
from lumos_snap.commands.doctor.tool_versions import explain_missing_java
from lumos_snap.commands.scan.cache import RecordingReader, open_cache, save_cache
from lumos_snap.commands.scan.options import ScanOptions, ScanProgress, ScanStage
from lumos_snap.commands.scan.source import (
    Stored,
    Survey,
    find_stored,
    read_known_datasets,
    require_same_folder,
)
from lumos_snap.commands.scan.unreachable import note_unreached
from lumos_snap.config.settings import EngineName, seconds_of
from lumos_snap.errors import LumosError, MissingPackageError, OutsideError
from lumos_snap.report.scan import FailedSource
from lumos_snap.scan.assign_files import ALONE, FileAssigner, split_dataset
from lumos_snap.scan.dataset import DatasetFiles, Evidence, Sample, ScanFilter, SourceDataset
from lumos_snap.scan.executors.engine import Engine, EngineUse, SparkOptions
from lumos_snap.scan.executors.pending_files import read_files
from lumos_snap.scan.file_index import FileIndex, PendingFiles
from lumos_snap.scan.grouping.assign import FilePlacement
from lumos_snap.scan.listing import BETWEEN, LineSorter, OnListed, SourceListing, list_source
from lumos_snap.scan.scan_cache import CachedDecision, ScanCache
from lumos_snap.scan.sources.catalog import CatalogTable
from lumos_snap.scan.sources.source import Source, open_source, select_sources
from lumos_snap.scan.spark.cluster import StartLimit
from lumos_snap.scan.spark.settings import check_file_settings, parse_command_settings
from lumos_snap.scan.stores.hdfs import HdfsStore
from lumos_snap.scan.stores.store import Trouble
from lumos_snap.schema import Json
from lumos_snap.tree import Tree

_RULE = "catalog"


def add_catalog_tables(survey: Survey, tables: Iterator[CatalogTable | Trouble]) -> None:
    """Add the tables of a catalog to a survey."""
    listing = survey.listing
    for found in tables:
        if isinstance(found, Trouble):
            listing.troubles.append(found)
            continue
        placed = FilePlacement(found.names, "/".join(found.names), None, (), _RULE)
        number = survey.first + len(listing.datasets)
        gathered = DatasetFiles(placed, Sample(0), number, found.location)
        gathered.note(BETWEEN.join((found.tag, found.format, found.schema)))
        listing.datasets[found.names] = gathered
        survey.evidence.append(_build_evidence(found))


def _build_evidence(found: CatalogTable) -> Evidence:
    evidence = Evidence()
    evidence.add(
        {
            "format": found.format,
            "schema": found.schema,
            "files": 1,
            "rows": found.rows,
            "versions": [found.version] if found.version else [],
            "codecs": [],
            "examples": ["/".join(found.names)],
        }
    )
    return evidence


_CLOSED = (
    "what reads the files needs credentials too: docs/guides/clusters.md says how it gets them"
)


@dataclass(frozen=True, slots=True)
class ScannedSources:
    """The result of scanning the sources, by dataset."""

    surveys: tuple[Survey, ...]
    met: tuple[SourceDataset, ...]
    stored: Stored
    failed: tuple[FailedSource, ...]
    engine: EngineUse | None

    def decisions(self) -> dict[str, CachedDecision]:
        """Decisions of the last scan, by urn."""
        return {urn: one for survey in self.surveys for urn, one in survey.memory.decisions.items()}

    def fresh(self) -> set[int]:
        """Numbers of the datasets with newly read files."""
        return {number for survey in self.surveys for number in survey.fresh}


def scan_sources(
    tree: Tree, asked: ScanOptions, progress: ScanProgress, stack: ExitStack
) -> ScannedSources:
    """List the sources and read the files that must be read.

    An unreachable source is reported and the others continue; where none can be reached, its error
    is raised. Temporary files are deleted with the stack.
    """
    looking = _SourceReader(tree, asked, progress, stack)
    with ExitStack() as sessions:
        engine = Engine(engine_name(tree, asked), _spark(tree, asked, progress), sessions)
        looking.survey(engine)
        looking.require_any()
        looking.read(engine)
        looking.require_any()
    failed = (
        FailedSource(
            name=name, problem=exc.message.removeprefix(f"{name}: "), hint=exc.hint or None
        )
        for name, exc in looking.failed
    )
    met = tuple(looking.parted())
    return ScannedSources(tuple(looking.surveys), met, looking.stored, tuple(failed), engine.used())


class _SourceReader:
    """Scans all sources, which share one job."""

    def __init__(
        self, tree: Tree, asked: ScanOptions, progress: ScanProgress, stack: ExitStack
    ) -> None:
        self._tree = tree
        self._asked = asked
        self._progress = progress
        self._stack = stack
        self._scratch = Path(stack.enter_context(TemporaryDirectory(prefix="lumos-scan-")))
        self._spool = PendingFiles(self._scratch / "unread", stack)
        self.surveys: list[Survey] = []
        self.stored: dict[str, dict[str, str]] = {}
        self.failed: list[tuple[str, LumosError]] = []

    def survey(self, engine: Engine) -> None:
        """List every reachable source."""
        paths = self._tree.paths(SNAPSHOT)
        for settings in select_sources(
            self._tree.config.sources, self._asked.sources, self._tree.root
        ):
            try:
                source = open_source(settings, self._tree.root)
                self.stored[source.name] = dict(find_stored(paths, source))
                if settings not in self._tree.config.sources:
                    require_same_folder(self._tree, source, self.stored[source.name])
                self.surveys.append(self._surveyed(source, engine))
            except (OutsideError, MissingPackageError) as exc:
                self.failed.append((settings.name, exc))

    def require_any(self) -> None:
        """Raise where no source can be reached."""
        if self.failed and not self.surveys:
            if self._asked.write:
                note_unreached(self._tree, (name for name, _ in self.failed), ())
            raise self.failed[0][1]

    def _surveyed(self, source: Source, engine: Engine) -> Survey:
        scratch = self._scratch / str(len(self.surveys) + len(self.failed))
        scratch.mkdir()
        only = ScanFilter.of(source, self._asked.only)
        first = sum(len(one.listing.datasets) for one in self.surveys)
        ledger = FileIndex(scratch / "ledger", self._stack)
        memory = open_cache(self._tree, source, self._asked)
        if source.catalog is not None:
            survey = Survey(SourceListing(source, LineSorter(scratch)), memory, ledger, first)
            catalog = source.catalog.opened(lambda: engine.running().spark)
            add_catalog_tables(survey, catalog.tables(only.wants))
            return survey
        before = sum(one.listing.files for one in self.surveys)
        listing = list_source(source, only, scratch, self._counting(before, engine, memory), engine)
        if isinstance(source.store, HdfsStore):
            engine.filesystems.append(source.store.filesystem)
        survey = Survey(listing, memory, ledger, first)
        known = read_known_datasets(self._tree, source, self.stored[source.name])
        absent_after = self._tree.config.scan.absent_after
        gathering = FileAssigner(listing, known, only, ledger, first, self._grouped, absent_after)
        survey.gather(gathering, self._spool, engine.begin)
        return survey

    def _grouped(self, done: int, total: int) -> None:
        self._progress(ScanStage.GROUPED, done, total)

    def _counting(self, before: int, engine: Engine, memory: ScanCache) -> OnListed:
        def met(files: int, pages: int) -> None:
            if files and not memory.count:  # without a cache, files will be read
                engine.begin()
            self._progress(ScanStage.LISTED, before + files, None, pages)

        return met

    def read(self, engine: Engine) -> None:
        """Read all pending files."""
        home = [one for one in self.surveys for _ in one.listing.datasets]
        stores = [one.listing.source.store for one in home]
        is_done = False
        try:
            for found in read_files(
                self._spool,
                stores,
                engine,
                lambda done, total: self._progress(ScanStage.READ, done, total),
            ):
                home[found.dataset].take(found)
            is_done = True
        finally:
            if not is_done:
                self._keep_what_was_found()
        self._leave_out_closed()

    def _leave_out_closed(self) -> None:
        """Treat a source that the executors may not read as unreachable, not as many bad files."""
        for survey in self.surveys:
            if survey.closed:
                source = survey.listing.source
                text = f"{source.address}: {survey.closed}"
                self.failed.append((source.name, OutsideError(text, hint=_CLOSED)))
        self.surveys = [one for one in self.surveys if not one.closed]

    def _keep_what_was_found(self) -> None:
        """Save the cache, so that the scan after an interrupted one continues from there."""
        if self._asked.write:
            found = [survey for survey in self.surveys if survey.looked_at]
            noting = RecordingReader(self._tree.files.read)
            save_cache(self._tree, found, {}, noting, self._progress, partly=True)

    def parted(self) -> Iterator[SourceDataset]:
        """Split unrelated files into datasets of their own; datasets in the tree are not split."""
        met = [(survey, one) for survey in self.surveys for one in survey.met()]
        taken = {one.urn for _, one in met}
        apart = {(one.source.name, one.names[:-1]) for _, one in met if one.gathered.rule == ALONE}
        for survey, one in met:
            if one.urn in self.stored[one.source.name]:
                yield one
                continue
            folder = tuple(filter(None, one.gathered.placed.folder.split("/")))
            among_parted = (one.source.name, folder) in apart
            entries = survey.ledger.entries
            parts = tuple(split_dataset(one, entries, among_parted=among_parted, taken=taken))
            taken.update(part.urn for part in parts)
            yield from parts


def engine_name(tree: Tree, asked: ScanOptions) -> EngineName:
    """The engine of a scan: options override `lumos.yaml`."""
    if asked.engine is not None:
        return asked.engine
    wants_spark = asked.session or asked.master or asked.conf
    return "spark" if wants_spark else tree.config.scan.engine


def _spark(tree: Tree, asked: ScanOptions, progress: ScanProgress) -> SparkOptions:
    patience = seconds_of(tree.config.scan.start_timeout)

    def waited(seconds: float, text: str) -> None:
        progress(ScanStage.WAITING, int(seconds), patience, note=text)

    said = {name: _format_setting(name, value) for name, value in tree.config.spark.items()}
    return SparkOptions(
        session=asked.session,
        master=asked.master,
        settings={**check_file_settings(said), **parse_command_settings(asked.conf)},
        why_not=explain_missing_java,
        limit=StartLimit(patience, waited),
    )


def _format_setting(name: str, value: Json) -> str:
    """Format a YAML value as a Spark setting, which is text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int):
        return str(value)
    raise LumosError(
        f"lumos.yaml: spark: {name} is no setting of Spark", hint="give it a word or a number"
    )
