"""`lumos snap init`: a folder becomes a tree. Safe to repeat; nothing is ever overwritten."""

from collections.abc import Mapping
from pathlib import Path

import orjson

from lumos_snap.config import CONFIG_NAME, Config, load_config
from lumos_snap.config.settings import Observations
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.report.reports import Initialised
from lumos_snap.tree.writing import writing

SETTINGS = """\
# yaml-language-server: $schema=.lumos/lumos-yaml.schema.json
# What this team has decided about its tree of dataset snapshots.

# The version of this file's own format.
version: 1

# One tree is one environment; a snapshot that names another one is an error.
# Another environment is another tree, in another folder or repository.
{environment}

# What was measured (sizes, counts, scores, costs) lies in observations/.
#   ignored   git leaves it alone, so that growing data makes no commits (the default)
#   tracked   git keeps it; remove `observations/` from .gitignore then
observations: {observations}
"""

_ATTRIBUTES = (
    "snapshots/**/*.json text eol=lf",
    "entities/**/*.json text eol=lf",
    "observations/**/*.json text eol=lf",
)
_PRETTIER = ("snapshots/", "entities/", "observations/")


def init(
    root: Path, *, environment: str | None, track_observations: bool, schema: bytes
) -> Initialised:
    """Write what a tree needs; `schema` is that of `lumos.yaml`, for editors."""
    if root.exists() and not root.is_dir():
        raise LumosError(f"{root}: is no folder", hint="name a folder")
    _make(root)
    existing = load_config(root) if (root / CONFIG_NAME).exists() else None
    config = existing or _chosen(environment, track_observations=track_observations)
    written: list[str] = []
    extended: list[str] = []
    kept: list[str] = []
    with writing(root) as writer:
        if existing is None:
            writer.put(CONFIG_NAME, _settings(config).encode())
        (kept if existing else written).append(CONFIG_NAME)
        for name, lines in _lines(config).items():
            before = _text(root / name)
            after = _with_lines(before or "", lines)
            if after != before:
                writer.put(name, after.encode())
            (kept if after == before else extended if before else written).append(name)
        writer.put(".lumos/lumos-yaml.schema.json", schema)
    return Initialised(
        root=str(root), written=tuple(written), extended=tuple(extended), kept=tuple(kept)
    )


def _make(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise OutsideError(f"{root}: cannot be made: {exc.strerror}") from exc


def _chosen(environment: str | None, *, track_observations: bool) -> Config:
    observations = Observations.TRACKED if track_observations else Observations.IGNORED
    return Config(version=1, environment=environment, observations=observations)


def _settings(config: Config) -> str:
    quoted = orjson.dumps(config.environment).decode()  # a JSON string is a YAML string
    line = f"environment: {quoted}" if config.environment else "# environment: PROD"
    return SETTINGS.format(environment=line, observations=config.observations.value)


def _lines(config: Config) -> Mapping[str, tuple[str, ...]]:
    """The lines that files of a repository need, beside what a team has put there."""
    ignored = ("observations/",) if config.observations is Observations.IGNORED else ()
    return {
        ".gitignore": (".lumos/", *ignored),
        ".gitattributes": _ATTRIBUTES,
        ".prettierignore": _PRETTIER,
    }


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as exc:
        raise LumosError(
            f"{path}: cannot be read as text: {exc}", hint="mend or remove it"
        ) from exc


def _with_lines(text: str, lines: tuple[str, ...]) -> str:
    present = {line.strip() for line in text.splitlines()}
    missing = [line for line in lines if line not in present and line.rstrip("/") not in present]
    if not missing:
        return text
    gap = "" if not text or text.endswith("\n") else "\n"
    return text + gap + "\n".join(missing) + "\n"
