"""A DataHub server, as the settings and the environment say where it is."""

from collections.abc import Mapping
from pathlib import Path

from lumos_snap.catalogs.datahub.client.server import Access, Mode
from lumos_snap.config.catalogs import Catalog as Settings
from lumos_snap.errors import LumosError
from lumos_snap.git import refuse_committed_links
from lumos_snap.net.redact import redact_addresses

ADDRESS = "DATAHUB_GMS_URL"
TOKEN = "DATAHUB_GMS_TOKEN"  # noqa: S105 - the name of a variable
"""Where DataHub's own tools look, too."""


def access(settings: Settings, root: Path, environment: Mapping[str, str]) -> Access:
    """How the server of a catalog is reached."""
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
    """Send tokens to no other server than the environment names: any commit can change the file."""
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
