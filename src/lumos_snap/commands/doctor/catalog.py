"""`lumos doctor --catalog`: whether a catalog can be synced with, and what stands in the way."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from lumos_snap.catalogs.adapter import Capabilities
from lumos_snap.catalogs.datahub.aspect_reads import stored_under
from lumos_snap.catalogs.datahub.client.batches import Proposal
from lumos_snap.catalogs.datahub.client.errors import FailedError
from lumos_snap.catalogs.datahub.client.server import Access, Mode, Server, reached
from lumos_snap.commands.sync.adapters import TOKEN, access, chosen, opened
from lumos_snap.config.catalogs import Catalog as Settings
from lumos_snap.errors import LumosError
from lumos_snap.report.command_reports import Checkup, Health
from lumos_snap.tree import Tree

Environment = Mapping[str, str]
_NOBODY = "urn:li:tag:lumos-doctor"
_NEVER = "0"
"""A version that nothing has: what is written on its condition is always refused."""


def examined(tree: Tree, name: str, environment: Environment) -> Iterator[Checkup]:
    """What is found at a catalog, one thing after the other; what cannot go on ends it."""
    try:
        settings = chosen(tree, name)
        yield _ok("catalog", f"{settings.name}: {settings.type}")
        if settings.type == "datahub":
            yield from _of_server(reached(_plain(settings, tree, environment)))
        catalog = opened(settings, tree, environment)
        if settings.type != "datahub":  # that may hold a million
            found = sum(1 for _ in catalog.search(""))
            yield _ok("contents", f"{found:,} documents")
        yield _ok("capabilities", _told(catalog.capabilities))
    except LumosError as exc:
        yield Checkup(name="catalog", health=Health.PROBLEM, found=exc.message, fix=exc.hint)


def _plain(settings: Settings, tree: Tree, environment: Environment) -> Access:
    """The way to the server, with an answer to each write."""
    return replace(access(settings, tree.root, environment), is_asynchronous=False)


def _told(can: Capabilities) -> str:
    said = (
        "refuses to write over newer edits" if can.has_preconditions else "",
        "knows who added tags, terms and owners" if can.attributed else "",
        f"deletes: {can.deletes.value}",
        f"never {', '.join(sorted(can.permanent))}" if can.permanent else "",
        "keeps what was measured" if can.observes else "",
        "can be searched" if can.can_search else "",
    )
    return "; ".join(filter(None, said))


def _of_server(server: Server) -> Iterator[Checkup]:
    yield _ok("server", f"DataHub {server.version} at {server.access.name}")
    yield _mode(server)
    for name, look in _LOOKS.items():
        yield _met(name, look, server)


def _mode(server: Server) -> Checkup:
    if server.is_openapi:
        return _ok("mode", "OpenAPI")
    if server.access.mode is Mode.RESTLI:
        return _ok("mode", "rest.li, as lumos.yaml says")
    fix = "DataHub 1.0.1 and later are read faster, over OpenAPI"
    return Checkup(name="mode", health=Health.WARNING, found="rest.li", fix=fix)


def _met(name: str, look: Callable[[Server], Checkup], server: Server) -> Checkup:
    """What was found, or what stood in the way."""
    try:
        return look(server)
    except FailedError as exc:
        fix = exc.hint or "ask whoever runs DataHub"
        return Checkup(name=name, health=Health.PROBLEM, found=exc.message, fix=fix)


def _token(server: Server) -> Checkup:
    user = server.user()
    if server.access.token is None:
        fix = f"where DataHub asks for tokens, put one into {TOKEN}"
        return Checkup(
            name="token", health=Health.WARNING, found=f"none; asking as {user}", fix=fix
        )
    return _ok("token", f"that of {user}")


def _reading(server: Server) -> Checkup:
    """Reading by name: one dataset, if there is any, tells whether versions are told."""
    some = next(iter(server.urns("dataset")), None)
    if some is None:
        return _ok("reading", "no dataset is there yet")
    held = stored_under(server, "dataset", [some], ["datasetProperties", "schemaMetadata"])
    told = "with versions" if held else "nothing known of it yet"
    return _ok("reading", f"{some}: {told}")


def _writing(server: Server) -> Checkup:
    """Whether a write that must be refused is refused, and for the right reason."""
    try:
        server.emit([Proposal("tag", _NOBODY, "status", {"removed": True}, _NEVER)])
    except FailedError as exc:
        if exc.is_stale:
            return _ok("writing", "may write, and nothing is written over unseen")
        raise
    fix = "DataHub 1.0 and later do: without it, somebody's edit could be written over"
    found = f"this server keeps to no conditions; it made {_NOBODY}, which is marked as removed"
    return Checkup(name="writing", health=Health.PROBLEM, found=found, fix=fix)


_LOOKS: Mapping[str, Callable[[Server], Checkup]] = {
    "token": _token,
    "reading": _reading,
    "writing": _writing,
}
