"""GitHub's environment variables: server, repository and run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from lumos_snap.errors import LumosError

_API = "https://api.github.com"
_SERVER = "https://github.com"


@dataclass(frozen=True, slots=True)
class Host:
    """A GitHub server, public or of a company."""

    api: str
    server: str
    token: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Run:
    """A run of a workflow; with default values outside of one."""

    number: int = 0
    attempt: int = 0
    url: str = ""
    name: str = ""
    """Workflow and job, which identify a configuration of the gate."""

    @property
    def age(self) -> tuple[int, int]:
        """Sort key of runs: later ones have larger numbers."""
        return self.number, self.attempt


def read_host(environ: Mapping[str, str]) -> Host:
    """Read the server and the token."""
    token = environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN") or ""
    if not token.strip():
        raise LumosError(
            "there is no token for GitHub",
            hint="give it in the environment: GITHUB_TOKEN: ${{ github.token }}",
        )
    if not token.isascii() or not token.strip().isprintable():
        raise LumosError("GITHUB_TOKEN holds what no token holds", hint="paste it again")
    server = environ.get("GITHUB_SERVER_URL") or _SERVER
    api = environ.get("GITHUB_API_URL") or (_API if server == _SERVER else f"{server}/api/v3")
    _require_address("GITHUB_API_URL", api)
    return Host(api.rstrip("/"), server.rstrip("/"), token.strip())


def _require_address(name: str, address: str) -> None:
    try:
        parts = urlsplit(address)
        is_plain = parts.scheme in ("https", "http") and "@" not in parts.netloc
        is_address = is_plain and bool(parts.hostname)
    except ValueError:  # unbalanced brackets
        is_address = False
    if not is_address:
        raise LumosError(f"{name} is no address of a server", hint=f"for example {_API}")


def read_run(environ: Mapping[str, str]) -> Run:
    """Read the current run of a workflow."""
    server = environ.get("GITHUB_SERVER_URL") or _SERVER
    number, repository = environ.get("GITHUB_RUN_ID", ""), environ.get("GITHUB_REPOSITORY", "")
    named = (environ.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB"))
    is_run = number.isdecimal() and bool(repository)
    return Run(
        number=int(number) if is_run else 0,
        attempt=_number(environ.get("GITHUB_RUN_ATTEMPT", "")),
        url=f"{server.rstrip('/')}/{repository}/actions/runs/{number}" if is_run else "",
        name="/".join(filter(None, named)),
    )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0
