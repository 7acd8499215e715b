"""Older formats: one migration step from each format version to the next, and legacy shapes.

A step is a pure function of one document, and frozen like all migrations. A new patch number
changes no document, so steps lead from one major and minor number to another.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from lumos_snap.canonical.migrations.result import (
    Document,
    LegacyShape,
    MigrationProblem,
    MigrationResult,
)

Format = tuple[int, int]
Step = Callable[[str, Document], Document]  # upgrades a document of a kind (snapshot, user, …)

STEPS: Mapping[Format, tuple[Format, Step]] = {}
"""By format version: the next version, and the step that leads there."""


def format_of(version: str) -> Format | None:
    """The format of a version, without its patch number."""
    match = re.fullmatch(r"([0-9]{1,18})\.([0-9]{1,18})\.[0-9]+", version)
    return (int(match[1]), int(match[2])) if match else None


def in_format(
    document: Document,
    kind: str,
    to: Format,
    steps: Mapping[Format, tuple[Format, Step]] = STEPS,
) -> Document | None:
    """Upgrade a document to a later format; None if no steps lead there."""
    version = document.get("lumos_version")
    at = format_of(version) if isinstance(version, str) else None
    while at is not None and at < to:
        if at not in steps:
            return None
        at, step = steps[at]
        document = {**step(kind, document), "lumos_version": f"{at[0]}.{at[1]}.0"}
    return document if at == to else None


NO_SNAPSHOT = "holds no object under `lumos_snapshot`, so it lists no datasets"

_ROOT = "lumos_snapshot"
# Keys that only current snapshots and observations have at the top level.
_TODAYS_KEYS = frozenset({"storage", "contract", "schedule", "kind", "observed_at", "data"})
# Keys that only older datasets have: at the top level, and in sections.
_OLDER_KEYS = frozenset({"tags", "format", "location", "statistics", "database", "timestamps"})
_OLDER_INNER = (
    ("properties", "custom_properties"),
    ("governance", "glossary_terms"),
    ("versioning", "version_history"),
    ("lineage", "downstream"),
    ("quality", "quality_score"),
    ("cost", "monthly_storage_cost"),
)


def shape_of(value: object) -> LegacyShape | None:
    """The legacy shape of a parsed document; None for the current format and anything else."""
    return next((shape for shape in SHAPES if shape.recognises(value)), None)


def _is_export(value: object) -> bool:
    return isinstance(value, dict) and "datasets" in value and "document" not in value


def _is_yaml_snapshot(value: object) -> bool:
    return isinstance(value, dict) and _ROOT in value


def _is_dataset(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(urn := value.get("urn"), str):
        return False
    if not urn.startswith(("lumos://", "urn:li:dataset:")) or not _TODAYS_KEYS.isdisjoint(value):
        return False
    return "lumos_version" not in value or _has_older_keys(value)


def _has_older_keys(value: dict[str, object]) -> bool:
    inner = (value.get(section) for section, _ in _OLDER_INNER)
    keys = (key for _, key in _OLDER_INNER)
    told = any(isinstance(i, dict) and key in i for i, key in zip(inner, keys, strict=True))
    return told or not _OLDER_KEYS.isdisjoint(value)


def _export(value: object) -> MigrationResult:
    from lumos_snap.canonical.migrations.datasets import document  # noqa: PLC0415 - see _plain

    root, problems = _plain(value)
    return _after(problems, document(root))


def _yaml_snapshot(value: object) -> MigrationResult:
    from lumos_snap.canonical.migrations.datasets import document  # noqa: PLC0415 - see _plain

    root, problems = _plain(value)
    inner = root.pop(_ROOT)
    if not isinstance(inner, dict):
        return MigrationResult(problems=(*problems, MigrationProblem((), NO_SNAPSHOT)))
    beside = {f"beside {_ROOT}": root} if root else {}
    return _after(problems, document({**inner, **beside}, (_ROOT,)))


def _dataset(value: object) -> MigrationResult:
    from lumos_snap.canonical.migrations.datasets import upgrade_single  # noqa: PLC0415 - see _plain

    root, problems = _plain(value)
    return _after(problems, upgrade_single(root))


def _plain(value: object) -> tuple[dict[str, object], tuple[MigrationProblem, ...]]:
    # The shape of every document is checked, but hardly any is upgraded: import on demand.
    from lumos_snap.canonical.migrations.values import plain  # noqa: PLC0415 - as just said

    problems: list[MigrationProblem] = []
    root = plain(value, problems.append)
    assert isinstance(root, dict)  # noqa: S101 - or its shape would not have been recognised
    return root, tuple(problems)


def _after(problems: tuple[MigrationProblem, ...], found: MigrationResult) -> MigrationResult:
    return replace(found, problems=(*problems, *found.problems))


SHAPES: tuple[LegacyShape, ...] = (
    LegacyShape("yaml-snapshot", _is_yaml_snapshot, _yaml_snapshot),
    LegacyShape("json-export", _is_export, _export),
    LegacyShape("dataset", _is_dataset, _dataset),
)
"""Every legacy shape, the most specific first."""
