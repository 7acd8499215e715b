"""`lumos snap init`: initialize a tree in a folder. Safe to repeat; nothing is overwritten."""

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import orjson

from lumos_snap.canonical.document_kinds import FOLDERS
from lumos_snap.config import CONFIG_NAME, Config, load_config
from lumos_snap.config.settings import Observations
from lumos_snap.errors import LumosError, OutsideError
from lumos_snap.git import configure, find_repository
from lumos_snap.git.commits import find_unignored_folder
from lumos_snap.report.command_reports import InitReport
from lumos_snap.tree.writer import open_writer

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

# What `lumos snap sync` keeps in line with the tree. The address and the token of a DataHub
# come from DATAHUB_GMS_URL and DATAHUB_GMS_TOKEN.
# catalogs: [{{name: prod, type: datahub}}]
"""

DRIVERS: Mapping[str, str] = {
    "merge.lumos.name": "documents of Lumos Snapshots, key by key and column by column",
    # Where `lumos` is not on the path, fall back to git's own merge and plain text.
    "merge.lumos.driver": (
        "f() { if command -v lumos > /dev/null;"
        ' then lumos snap merge-driver "$1" "$2" "$3" --path "$4" --marker-size "$5";'
        ' else git merge-file --marker-size="$5" "$2" "$1" "$3"; fi; }; f %O %A %B %P %L'
    ),
    "diff.lumos.textconv": 'f() { lumos snap textconv "$1" || cat "$1"; }; f',
    "diff.lumos.cachetextconv": "false",
}
"""Git settings that each clone needs, because a repository must not name programs to run.

Git itself quotes the path for the shell.
"""

_TEXT = tuple(f"{folder}/**/*.json text eol=lf" for folder in FOLDERS)
_ATTRIBUTES = tuple(f"{line} merge=lumos diff=lumos" for line in _TEXT)
_OUTDATED = dict(zip(_TEXT, _ATTRIBUTES, strict=True))
"""Lines that older versions wrote, and their replacements."""
_PRETTIER = tuple(f"{folder}/" for folder in FOLDERS)


def init(
    root: Path, *, environment: str | None, track_observations: bool, schema: bytes
) -> InitReport:
    """Write the files of a tree; `schema` is that of `lumos.yaml`, for editors."""
    if root.exists() and not root.is_dir():
        raise LumosError(f"{root}: is no folder", hint="name a folder")
    _make(root)
    existing = load_config(root) if (root / CONFIG_NAME).exists() else None
    config = existing or _build_config(environment, track_observations=track_observations)
    written: list[str] = []
    extended: list[str] = []
    kept: list[str] = []
    with open_writer(root) as writer:
        if existing is None:
            writer.put(CONFIG_NAME, _settings(config).encode())
        (kept if existing else written).append(CONFIG_NAME)
        for name, lines in _lines(config).items():
            before = _text(root / name)
            after = _with_lines(_update_lines(before or ""), lines)
            if after != before:
                writer.put(name, after.encode())
            (kept if after == before else extended if before else written).append(name)
        writer.put(".lumos/lumos-yaml.schema.json", schema)
    configured, unconfigured = _configure_git(root)
    return InitReport(
        root=str(root),
        written=tuple(written),
        extended=tuple(extended),
        kept=tuple(kept),
        configured=configured,
        unconfigured=unconfigured,
        data=tuple(_find_data(root)),
    )


_DATA = (".parquet", ".orc", ".avro", ".arrow", ".feather")
_MOST_ENTRIES = 2_000


def _find_data(root: Path) -> Iterator[str]:
    """The folders beside the tree's own with data files that the next commit would take."""
    try:
        repository = find_repository(root)
        found = sorted(one.name for one in root.iterdir() if one.is_dir())
    except (LumosError, OSError):
        return
    for name in found:
        if (
            repository
            and not name.startswith(".")
            and name not in FOLDERS
            and _has_data(root / name)
        ):
            path = find_unignored_folder(repository, root / name)
            yield from [path] if path else []


def _has_data(folder: Path) -> bool:
    """Whether the first files below a folder are data, by their names."""
    entries = islice((name for _, _, names in os.walk(folder) for name in names), _MOST_ENTRIES)
    return any(name.endswith(_DATA) for name in entries)


def _configure_git(root: Path) -> tuple[tuple[str, ...], str]:
    """Add the missing git settings; or explain why that is not possible."""
    try:
        repository = find_repository(root)
        if repository is None:
            return (), "not in a git repository: run `git init`, then this again"
        return configure(repository, DRIVERS), ""
    except LumosError as exc:
        return (), f"{exc.message}{f': {exc.hint}' if exc.hint else ''}"


def _make(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise OutsideError(f"{root}: cannot be made: {exc.strerror}") from exc


def _build_config(environment: str | None, *, track_observations: bool) -> Config:
    observations = Observations.TRACKED if track_observations else Observations.IGNORED
    return Config(version=1, environment=environment, observations=observations)


def _settings(config: Config) -> str:
    quoted = orjson.dumps(config.environment).decode()  # a JSON string is a YAML string
    line = f"environment: {quoted}" if config.environment else "# environment: PROD"
    return SETTINGS.format(environment=line, observations=config.observations.value)


def _lines(config: Config) -> Mapping[str, tuple[str, ...]]:
    """The lines that files of a repository need, beside those of the team."""
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


def _update_lines(text: str) -> str:
    """Update lines that older versions wrote."""
    lines = text.splitlines(keepends=True)
    present = {line.strip() for line in lines}
    missing = {old: new for old, new in _OUTDATED.items() if new not in present}
    return "".join(
        line.replace(old, missing[old]) if (old := line.strip()) in missing else line
        for line in lines
    )


def _with_lines(text: str, lines: tuple[str, ...]) -> str:
    present = {line.strip() for line in text.splitlines()}
    missing = [line for line in lines if line not in present and line.rstrip("/") not in present]
    if not missing:
        return text
    gap = "" if not text or text.endswith("\n") else "\n"
    return text + gap + "\n".join(missing) + "\n"
