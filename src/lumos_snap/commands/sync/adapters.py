"""Catalog adapters, opened from settings and environment variables, and their dataset names."""

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path

from lumos_snap.canonical.document_kinds import FOLDERS, SNAPSHOT
from lumos_snap.catalogs.adapter import Catalog, Identity
from lumos_snap.catalogs.datahub.client.sdk_classes import require
from lumos_snap.catalogs.datahub.client.server import Access, Mode, connect_server
from lumos_snap.catalogs.datahub.settings import NamingSettings, parse_settings
from lumos_snap.catalogs.datahub.urns import UrnMapper as Names
from lumos_snap.catalogs.datahub_lite import DataHubLiteCatalog
from lumos_snap.catalogs.datahub_server import DataHubCatalog
from lumos_snap.catalogs.export_file import ExportFileCatalog, changes_beside
from lumos_snap.catalogs.folder import FolderCatalog
from lumos_snap.catalogs.sync.client import Speed, call_with_retries
from lumos_snap.catalogs.sync.join import iter_documents
from lumos_snap.catalogs.sync.policy import ALL, EXISTENCE, Rules, SyncPolicy, policy_names
from lumos_snap.catalogs.sync.write_order import references
from lumos_snap.catalogs.sync_state import Files, SyncBase
from lumos_snap.commands.sync.options import SyncOptions
from lumos_snap.commands.sync.tree_documents import definitions
from lumos_snap.config.settings import CatalogSettings as Settings
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import blobs, refuse_committed_links
from lumos_snap.text import redact_addresses
from lumos_snap.tree import Tree
from lumos_snap.tree.writer import state_file

ADDRESS = "DATAHUB_GMS_URL"
TOKEN = "DATAHUB_GMS_TOKEN"  # noqa: S105 - the name of a variable
"""The variables that DataHub's own tools use."""


def build_access(settings: Settings, root: Path, environment: Mapping[str, str]) -> Access:
    """Build the access to a catalog's server."""
    address = settings.server or environment.get(ADDRESS)
    if not address:
        raise LumosError(
            f"lumos.yaml: the catalog {settings.name} has no server, and {ADDRESS} is not set",
            hint="server: http://datahub-gms:8080",
        )
    if not address.startswith(("http://", "https://")):
        shown = redact_addresses(f"://{address}").removeprefix("://")
        where = "`server`" if settings.server else ADDRESS
        raise LumosError(
            f"the catalog {settings.name}: {where} is no address of a server: {shown}",
            hint="as in http://datahub-gms:8080",
        )
    variable = settings.token_from or TOKEN
    token = environment.get(variable)
    if settings.token_from and not token:
        raise LumosError(
            f"the catalog {settings.name} takes its token from {variable}, which is not set",
            hint=f"export {variable}=…",
        )
    if token:
        _refuse_other_server(settings, address, environment.get(ADDRESS))
    return Access(
        address=address,
        token=token,
        mode=Mode(settings.mode or Mode.AUTO),
        is_asynchronous=settings.asynchronous,
        certificates=_certificates(settings, root),
    )


def _refuse_other_server(settings: Settings, address: str, known: str | None) -> None:
    """Send tokens only to the server in the environment: any commit can change lumos.yaml."""
    if known and known.rstrip("/") != address.rstrip("/"):
        raise LumosError(
            f"lumos.yaml: the catalog {settings.name} names another server than {ADDRESS}, and a "
            "token is sent to that one alone",
            hint=f"leave out `server`, or unset {ADDRESS}",
        )


def _certificates(settings: Settings, root: Path) -> str | None:
    if settings.certificates is None:
        return None
    refuse_committed_links(root / settings.certificates)
    file = (root / settings.certificates).resolve()
    if not file.exists():
        raise LumosError(
            f"the catalog {settings.name}: `certificates` names {file}, which is not there",
            hint="a path from the folder of lumos.yaml, or a whole one",
        )
    return str(file)


Environment = Mapping[str, str]
_LITE_FILE = "datahub.db"
"""Default file of DataHub Lite, beside the tree."""


def choose_settings(tree: Tree, name: str | None) -> Settings:
    """The settings of the selected catalog."""
    known = tree.config.catalogs
    if not known:
        raise LumosError(
            "lumos.yaml names no catalog to sync with",
            hint="catalogs: [{name: prod, type: datahub}]",
        )
    _require_names_of_their_own(known)
    if name is None:
        if len(known) > 1:
            raise LumosError(
                f"lumos.yaml names {len(known)} catalogs", hint=f"--to {_or(known)} says which"
            )
        return known[0]
    found = next((one for one in known if one.name == name), None)
    if found is None:
        close = difflib.get_close_matches(name, [one.name for one in known], n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"lumos.yaml names {_or(known)}"
        raise LumosError(f"there is no catalog `{name}`", hint=hint)
    return found


def _require_names_of_their_own(known: Sequence[Settings]) -> None:
    names = [one.name for one in known]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise LumosError(
            f"lumos.yaml: two catalogs are called {twice}",
            hint="give each a name of its own: what was confirmed is kept by it",
        )


def _or(known: Sequence[Settings]) -> str:
    return " or ".join(one.name for one in known)


def _files(settings: Settings, tree: Tree, _environment: Environment) -> Catalog:
    """Open a portable document for the path of a file or a `.json` name, otherwise a folder."""
    root = tree.root
    if settings.path is None:
        raise LumosError(
            f"lumos.yaml: the catalog {settings.name} has no path", hint="path: ../copy"
        )
    place = _place(settings.path, root)
    if place == root.resolve():
        raise LumosError(
            f"lumos.yaml: the catalog {settings.name} is the tree itself",
            hint="name another folder",
        )
    if any(place.is_relative_to(root.resolve() / one) for one in FOLDERS):
        raise LumosError(
            f"lumos.yaml: the catalog {settings.name} is in the tree's own documents",
            hint="name another folder",
        )
    if place.is_file() or (place.suffix == ".json" and not place.is_dir()):
        return ExportFileCatalog(settings.name, place)
    return FolderCatalog(settings.name, place)


def _place(path: str, root: Path) -> Path:
    """Resolve a path of the settings; links that a pull request may have added are refused."""
    refuse_committed_links(root / path)
    return (root / path).resolve()


def _lite(settings: Settings, tree: Tree, _environment: Environment) -> Catalog:
    require()
    path = settings.path
    place = state_file(tree.root, _LITE_FILE) if path is None else _place(path, tree.root)
    return DataHubLiteCatalog(settings.name, place, Names(_build_naming(settings, tree)))


def _datahub(settings: Settings, tree: Tree, environment: Environment) -> Catalog:
    way = build_access(settings, tree.root, environment)
    server = call_with_retries(lambda: connect_server(way), Speed())
    return DataHubCatalog(settings.name, server, Names(_build_naming(settings, tree)))


def _build_naming(settings: Settings, tree: Tree) -> NamingSettings:
    """DataHub naming settings, and the properties with a defined type."""
    usual = NamingSettings()
    return NamingSettings(
        environment=settings.environment or usual.environment,
        instance=settings.platform_instance or usual.instance,
        template=settings.name_template or usual.template,
        platforms=dict(settings.platforms),
        structured=definitions(tree),
    )


_TYPES: Mapping[str, Callable[[Settings, Tree, Environment], Catalog]] = {
    "files": _files,
    "datahub-lite": _lite,
    "datahub": _datahub,
}


def open_catalog(settings: Settings, tree: Tree, environment: Environment) -> Catalog:
    """Open the catalog of the settings; `environment` contains credentials."""
    known = policy_names()
    for name in settings.policy:
        _require_section(name, known, f"lumos.yaml: in `policy` of {settings.name}, ")
    return _TYPES[settings.type](settings, tree, environment)


def open_existing(settings: Settings, tree: Tree, environment: Environment) -> Catalog:
    """Open a catalog that must exist: a missing one would give an empty backup, and no error."""
    catalog = open_catalog(settings, tree, environment)
    place = catalog.root if isinstance(catalog, FolderCatalog) else None
    if isinstance(catalog, DataHubLiteCatalog | ExportFileCatalog):
        place = catalog.file
    if place is not None and not place.exists() and not changes_beside(place).exists():
        raise OutsideError(
            f"{place}: the catalog {settings.name} is not there",
            hint="look at its path in lumos.yaml; `lumos snap sync --apply` makes it",
        )
    return catalog


def _require_section(name: str, known: Set[str], where: str = "") -> None:
    """Refuse an unknown section: it would apply to nothing, and everything would seem in sync."""
    if name not in known:
        close = difflib.get_close_matches(name, sorted(known), n=1)
        hint = f"did you mean `{close[0]}`?" if close else "as in `documentation`"
        raise LumosError(f"{where}there is no section `{name}`", hint=hint)


def rules_of(settings: Settings, catalog: Catalog, base: SyncBase, asked: SyncOptions) -> Rules:
    """Build the rules of a sync: who wins for which section, and the selected sections."""
    for name in asked.sections:
        _require_section(name, policy_names() - {ALL, EXISTENCE})

    def confirmed(identity: Identity) -> Mapping[str, str]:
        remote = base.remotes.get(identity)
        return remote.versions if remote else {}

    return Rules(
        project=catalog.project,
        attributed=catalog.capabilities.attributed,
        parts=catalog.capabilities.parts,
        confirmed=confirmed,
        policies={name: SyncPolicy(word) for name, word in settings.policy.items()},
        sections=frozenset(asked.sections),
    )


# Dataset names in a catalog, kept with the sync base, because settings change them.
#
# Under other names a sync would find no dataset, and would abandon the existing ones.


_FILE = "names.json"


def require_same_names(base: SyncBase, catalog: Catalog) -> None:
    """Refuse settings that change the catalog name of a synced dataset."""
    before, now = _last_names(base), _names(catalog)
    if before is None or now is None or before.naming.told() == now.naming.told():
        return
    for urn in _urns(base):
        if before.dataset(urn) != now.dataset(urn):
            raise LumosError(
                f"lumos.yaml leads to other names in {catalog.name} than at the last sync: {urn}"
                f" is {before.dataset(urn)} there, and would be {now.dataset(urn)}",
                hint="take the settings back; or give the catalog another name, to begin anew"
                " beside what is there",
            )


def names_to_keep(base: SyncBase, catalog: Catalog) -> Files:
    """Names file to add to the sync base."""
    before, now = _last_names(base), _names(catalog)
    if now is None or (before is not None and before.naming.told() == now.naming.told()):
        return ()
    return ((_FILE, now.naming.told().encode() + b"\n"),)


def _names(catalog: Catalog) -> Names | None:
    return catalog.names if isinstance(catalog, DataHubLiteCatalog | DataHubCatalog) else None


def _last_names(base: SyncBase) -> Names | None:
    """Naming of the last sync; None where it is unknown or invalid."""
    entry = base.files.get(_FILE)
    if entry is None:
        return None
    _, content = next(blobs(base.repository, [entry.oid]))
    try:
        return Names(parse_settings(content.decode()))
    except (LumosError, TypeError, ValueError):
        return None


def _urns(base: SyncBase) -> Iterator[str]:
    """Urns of all confirmed datasets, and of those that confirmed documents reference."""
    for identity, document in iter_documents(base.documents()):
        if identity.kind == SNAPSHOT.name:
            yield identity.id
        for one in references(document, identity.cls):
            if one.kind == SNAPSHOT.name:
                yield one.id
