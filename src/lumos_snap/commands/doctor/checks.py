"""`lumos doctor`: checks of the environment, and the exact fix for each problem."""

import importlib.metadata
import platform
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lumos_snap._version import FORMAT_VERSION, __version__
from lumos_snap.canonical.document_kinds import FOLDERS, KINDS, OBSERVATION, kind_at
from lumos_snap.catalogs.adapter import Capabilities
from lumos_snap.catalogs.datahub.client.batches import Proposal
from lumos_snap.catalogs.datahub.client.errors import FailedError
from lumos_snap.catalogs.datahub.client.server import Access, DataHubServer, Mode, connect_server
from lumos_snap.catalogs.datahub_server import read_stored
from lumos_snap.commands.doctor.tool_versions import (
    GIT,
    INSTALL_JAVA,
    JAVA,
    OLDEST_JAVA,
    is_older,
    version_of,
)
from lumos_snap.commands.init import DRIVERS
from lumos_snap.commands.scan.source import build_data_warning
from lumos_snap.commands.sync.adapters import TOKEN, build_access, choose_settings, open_catalog
from lumos_snap.config import CONFIG_NAME
from lumos_snap.config.settings import CatalogSettings as Settings
from lumos_snap.documents import Problem
from lumos_snap.documents.json_text import UNREADABLE
from lumos_snap.errors import LumosError
from lumos_snap.git import OLDEST_GIT, attributes, current_branch, find_repository, settings
from lumos_snap.git.commits import find_ignored
from lumos_snap.report.command_reports import Checkup, DoctorReport, FileFinding, Health, JvmArchive
from lumos_snap.scan.sources.source import open_source
from lumos_snap.scan.spark import class_data_archive
from lumos_snap.scan.spark.pyspark_versions import NEWEST, OLDEST, explain_lack, release
from lumos_snap.tree import Tree, open_tree
from lumos_snap.tree.file_check import unfit_findings
from lumos_snap.tree.files import TreePaths

_NOTHING: Mapping[str, str] = {}
OLDEST_PYTHON = (3, 11)
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "scan": ("pyspark", "pyarrow", "pandas"),
    "datahub": ("acryl-datahub",),
}
_NEEDING = {"scan": "`lumos snap scan`", "datahub": "a catalog of DataHub's"}


def diagnose(
    folder: Path,
    warmed: JvmArchive | None = None,
    catalog: str | None = None,
    environment: Mapping[str, str] = _NOTHING,
) -> DoctorReport:
    """Check everything that commands need: this machine, the folder, and its catalog."""
    checks = (*_machine(), *_extras(), *_spark(), *_archive(), *_repository(folder), *_tree(folder))
    if catalog is not None:
        checks += tuple(_catalog(folder, catalog, environment))
    return DoctorReport(checks=checks, warmed=warmed)


def _catalog(folder: Path, name: str, environment: Mapping[str, str]) -> Iterator[Checkup]:

    return check_catalog(open_tree(folder), name, environment)


def _machine() -> Iterator[Checkup]:
    yield _ok("lumos", f"{__version__}, snapshot format {FORMAT_VERSION}")
    python = platform.python_version()
    if sys.version_info >= OLDEST_PYTHON:
        yield _ok("python", f"{python} at {sys.executable}")
    else:
        yield Checkup(
            name="python", health=Health.PROBLEM, found=python, fix="install Python 3.11 or newer"
        )
    yield _program("git", version_of(GIT), OLDEST_GIT, Health.PROBLEM)
    yield _program("java", version_of(JAVA), OLDEST_JAVA, Health.OPTIONAL)


_INSTALL = {
    "git": "install git 2.39 or newer: `apt install git`, `brew install git`",
    "java": f"scans need it, except with `--engine local`: {INSTALL_JAVA}",
}


def _program(name: str, version: str | None, oldest: tuple[int, ...], missing: Health) -> Checkup:
    if version is None:
        return Checkup(name=name, health=missing, found="not found", fix=_INSTALL[name])
    if is_older(version, oldest):
        return Checkup(name=name, health=missing, found=f"{version}: too old", fix=_INSTALL[name])
    return _ok(name, version)


def _extras() -> Iterator[Checkup]:
    for extra, packages in EXTRAS.items():
        found = {package: _find_version(package) for package in packages}
        missing = [package for package, version in found.items() if version is None]
        name = f"extra [{extra}]"
        if missing:
            fix = f"only {_NEEDING[extra]} needs that: pip install 'lumos-snap[{extra}]'"
            said = f"without {', '.join(missing)}"
            yield Checkup(name=name, health=Health.OPTIONAL, found=said, fix=fix)
        else:
            yield _ok(name, ", ".join(f"{package} {version}" for package, version in found.items()))


def _spark() -> Iterator[Checkup]:
    """Whether the installed PySpark version is supported by scans."""
    version = _find_version("pyspark")
    if version is None:
        return  # reported by the check of extras
    oldest, newest = (".".join(map(str, one)) for one in (OLDEST, NEWEST))
    if release(version) < OLDEST:
        found, fix = f"{version}: too old", f"scans need {oldest} or newer: {_UPGRADE}"
        yield Checkup(name="pyspark", health=Health.WARNING, found=found, fix=fix)
    elif missing := explain_lack(version):
        yield Checkup(name="pyspark", health=Health.WARNING, found=missing[0], fix=missing[1])
    elif release(version) > NEWEST:
        yield _ok("pyspark", f"{version}: newer than {newest}, the newest that was tried")
    else:
        yield _ok("pyspark", f"{version}: supported ({oldest} to {newest})")


_UPGRADE = "pip install --upgrade 'lumos-snap[scan]'"


def _find_version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _archive() -> Iterator[Checkup]:
    """Whether scans start quickly; nothing is reported where they cannot start at all."""
    name, found = "class-data archive", class_data_archive.find_archive()
    if found is not None:
        yield _ok(name, f"{found.bytes / 1_000_000:.0f} MB at {found.path}")
    elif class_data_archive.fingerprint() is not None:
        fix = "`lumos doctor --warm` makes one: scans then start seconds sooner"
        yield Checkup(name=name, health=Health.OPTIONAL, found="none for this Java", fix=fix)


def _repository(folder: Path) -> Iterator[Checkup]:
    try:
        repository = find_repository(folder)
    except LumosError as exc:
        yield Checkup(name="repository", health=Health.PROBLEM, found=exc.message, fix=exc.hint)
        return
    if repository is None:
        fix = "history and comparisons need one: `git init`"
        yield Checkup(name="repository", health=Health.WARNING, found="not in one", fix=fix)
        return
    branch = current_branch(repository) or "a detached HEAD"
    found = f"{repository.work_tree or repository.folder} on {branch}"
    if repository.shallow:
        fix = "history is cut off: `git fetch --unshallow` (in CI: `fetch-depth: 0`)"
        yield Checkup(name="repository", health=Health.WARNING, found=f"{found}, shallow", fix=fix)
    else:
        yield _ok("repository", found)


def _tree(folder: Path) -> Iterator[Checkup]:
    try:
        tree = open_tree(folder)
        problems = tree.config_problems()
        found = tree.files.found()
    except LumosError as exc:
        is_there = folder.is_dir() and not (folder / CONFIG_NAME).exists()
        health = Health.WARNING if is_there else Health.PROBLEM
        yield Checkup(name="tree", health=health, found=exc.message, fix=exc.hint)
        return
    yield from _settings(tree, problems)
    yield from _drivers(tree.root)
    yield from _documents(found)
    yield from _check_gitignore(tree.root, found)
    yield from () if problems else _check_data(tree)


def _check_data(tree: Tree) -> Iterator[Checkup]:
    """Whether the data of a source would get into a commit."""
    for configured in tree.config.sources:
        try:
            source = open_source(configured, tree.root)
            warning = build_data_warning(find_repository(tree.root), source)
        except LumosError:
            continue  # a scan reports it, or another check
        if warning:
            found, _, fix = warning.partition(": ")
            yield Checkup(name=source.name, health=Health.WARNING, found=found, fix=fix)


def _settings(tree: Tree, problems: Sequence[Problem]) -> Iterator[Checkup]:
    for problem in problems:
        where = f"{CONFIG_NAME}:{problem.place.line}:{problem.place.column}"
        yield Checkup(
            name=CONFIG_NAME,
            health=Health.PROBLEM,
            found=f"{where}: {problem.message}",
            fix=problem.hint or "mend it, or move it away and run `lumos snap init`",
        )
    if not problems:
        yield _ok(CONFIG_NAME, tree.files.name(CONFIG_NAME))


def _documents(found: TreePaths) -> Iterator[Checkup]:
    """Count the documents of each kind, and report files that hide a part of the tree."""
    hindrances = [finding for finding in unfit_findings(found) if _hides(finding)]
    for finding in hindrances:
        said = f"{finding.path}: {finding.message}"
        yield Checkup(name="tree", health=Health.PROBLEM, found=said, fix=finding.hint)
    if hindrances:
        return
    counts = Counter(kind.name for path in found.documents if (kind := kind_at(path)))
    counted = ", ".join(
        f"{counts[kind.name]} {kind.name}{'s' * (counts[kind.name] != 1)}"
        for kind in KINDS
        if counts[kind.name]
    )
    yield _ok("tree", counted or "empty")


def _check_gitignore(root: Path, found: TreePaths) -> Iterator[Checkup]:
    """Whether git ignores documents: `lake` in .gitignore also matches `snapshots/file/lake`."""
    try:
        repository = find_repository(root)
        kept = [path for path in found.documents if kind_at(path) is not OBSERVATION]
        lost = find_ignored(repository, kept) if repository else []
    except LumosError:
        return  # reported by another check
    if lost:
        said = f"git ignores {len(lost):,} of {len(kept):,} documents, such as {lost[0]}"
        fix = f"`git check-ignore -v {lost[0]}` names the line; `/lake` means the top folder alone"
        yield Checkup(name=".gitignore", health=Health.PROBLEM, found=said, fix=fix)


def _drivers(root: Path) -> Iterator[Checkup]:
    """Whether this clone has the merge and diff drivers for documents."""
    try:
        repository = find_repository(root)
        if repository is None:
            return  # reported by another check
        said = attributes(repository, "snapshots/any.json", ("merge", "diff"))
        known = settings(repository)
    except LumosError:
        return  # likewise
    if "lumos" not in said.values():
        yield _driver_problem("git merges documents as plain text", _BY_COLUMNS, Health.OPTIONAL)
    elif missing := [name for name in DRIVERS if name not in known]:
        yield _driver_problem(f"in .gitattributes, but this clone lacks {missing[0]}", _IN_CLONE)
    elif shutil.which("lumos") is None:
        yield _driver_problem("git finds no `lumos` on PATH", _ON_PATH)
    else:
        yield _ok(_MERGING, "git merges and compares documents by columns")


_MERGING = "merge driver"
_BY_COLUMNS = "`lumos snap init` tells git to merge columns; it is safe to repeat"
_IN_CLONE = "`lumos snap init`, once in each clone; it is safe to repeat"
_ON_PATH = "put it on PATH: `git merge` and `git diff` call it"


def _driver_problem(found: str, fix: str, health: Health = Health.WARNING) -> Checkup:
    return Checkup(name=_MERGING, health=health, found=found, fix=fix)


def _hides(finding: FileFinding) -> bool:
    return finding.rule == UNREADABLE or finding.path in FOLDERS


def _ok(name: str, found: str) -> Checkup:
    return Checkup(name=name, health=Health.OK, found=found, fix="")


Environment = Mapping[str, str]
_NOBODY = "urn:li:tag:lumos-doctor"
_NEVER = "0"
"""A version that never exists: a write with this precondition is always rejected."""


def check_catalog(tree: Tree, name: str, environment: Environment) -> Iterator[Checkup]:
    """Check a catalog step by step; a failed step ends the checks."""
    try:
        settings = choose_settings(tree, name)
        yield _ok("catalog", f"{settings.name}: {settings.type}")
        if settings.type == "datahub":
            yield from _of_server(connect_server(_plain(settings, tree, environment)))
        catalog = open_catalog(settings, tree, environment)
        if settings.type != "datahub":  # DataHub may contain a million documents
            found = sum(1 for _ in catalog.search(""))
            yield _ok("contents", f"{found:,} documents")
        yield _ok("capabilities", _describe_capabilities(catalog.capabilities))
    except LumosError as exc:
        yield Checkup(name="catalog", health=Health.PROBLEM, found=exc.message, fix=exc.hint)


def _plain(settings: Settings, tree: Tree, environment: Environment) -> Access:
    """Access to the server with synchronous writes."""
    return replace(build_access(settings, tree.root, environment), is_asynchronous=False)


def _describe_capabilities(can: Capabilities) -> str:
    said = (
        "refuses to write over newer edits" if can.has_preconditions else "",
        "knows who added tags, terms and owners" if can.attributed else "",
        f"deletes: {can.deletes.value}",
        f"never {', '.join(sorted(can.permanent))}" if can.permanent else "",
        "keeps what was measured" if can.observes else "",
        "can be searched" if can.can_search else "",
    )
    return "; ".join(filter(None, said))


def _of_server(server: DataHubServer) -> Iterator[Checkup]:
    yield _ok("server", f"DataHub {server.version} at {server.access.name}")
    yield _mode(server)
    for name, look in _LOOKS.items():
        yield _run_check(name, look, server)


def _mode(server: DataHubServer) -> Checkup:
    if server.is_openapi:
        return _ok("mode", "OpenAPI")
    if server.access.mode is Mode.RESTLI:
        return _ok("mode", "rest.li, as lumos.yaml says")
    fix = "DataHub 1.0.1 and later are read faster, over OpenAPI"
    return Checkup(name="mode", health=Health.WARNING, found="rest.li", fix=fix)


def _run_check(
    name: str, look: Callable[[DataHubServer], Checkup], server: DataHubServer
) -> Checkup:
    """Run a check; a failure becomes a problem."""
    try:
        return look(server)
    except FailedError as exc:
        fix = exc.hint or "ask whoever runs DataHub"
        return Checkup(name=name, health=Health.PROBLEM, found=exc.message, fix=fix)


def _token(server: DataHubServer) -> Checkup:
    user = server.user()
    if server.access.token is None:
        fix = f"where DataHub asks for tokens, put one into {TOKEN}"
        return Checkup(
            name="token", health=Health.WARNING, found=f"none; asking as {user}", fix=fix
        )
    return _ok("token", f"that of {user}")


def _check_read(server: DataHubServer) -> Checkup:
    """Read one dataset by name, and check whether versions are returned."""
    some = next(iter(server.urns("dataset")), None)
    if some is None:
        return _ok("reading", "no dataset is there yet")
    held = read_stored(server, "dataset", [some], ["datasetProperties", "schemaMetadata"])
    told = "with versions" if held else "nothing known of it yet"
    return _ok("reading", f"{some}: {told}")


def _check_write(server: DataHubServer) -> Checkup:
    """Whether a write with a failing precondition is rejected for the right reason."""
    try:
        server.emit([Proposal("tag", _NOBODY, "status", {"removed": True}, _NEVER)])
    except FailedError as exc:
        if exc.is_stale:
            return _ok("writing", "may write, and nothing is written over unseen")
        raise
    fix = "DataHub 1.0 and later do: without it, somebody's edit could be written over"
    found = f"this server keeps to no conditions; it made {_NOBODY}, which is marked as removed"
    return Checkup(name="writing", health=Health.PROBLEM, found=found, fix=fix)


_LOOKS: Mapping[str, Callable[[DataHubServer], Checkup]] = {
    "token": _token,
    "reading": _check_read,
    "writing": _check_write,
}
