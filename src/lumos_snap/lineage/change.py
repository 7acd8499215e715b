"""Changes from the view of lineage: which field paths overlap, and their former names."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from lumos_snap.model.field_path import FieldPath, format_path, parse_path
from lumos_snap.report.diff import BumpWord, ChangedDataset, ChangeFinding, LevelWord
from lumos_snap.rules.registry import by_name
from lumos_snap.rules.rule import Family, Level


@lru_cache(maxsize=65536)
def overlap(one: str, other: str) -> bool:
    """Whether two paths name the same column, or one contains the other."""
    if one == other:
        return True
    parts, others = _parts(one), _parts(other)
    least = min(len(parts), len(others))
    return bool(least) and parts[:least] == others[:least]


@lru_cache(maxsize=65536)
def _parts(path: str) -> FieldPath:
    try:
        return parse_path(path)
    except ValueError:  # a validation rule reports it; it overlaps no other path
        return ()


def names_of(path: str, renames: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The current and former names of a column, given renames from old to new."""
    found = {path}
    parts = _parts(path)
    for old, new in renames:
        now = _parts(new)
        if now and parts[: len(now)] == now:
            found.add(format_path((*_parts(old), *parts[len(now) :])) or old)
    return frozenset(found)


_BY_POSITION = frozenset(("field-inserted", "field-shuffled", "field-cut-out"))
"""Rules about one column that affect all others, because these are read by position."""


@dataclass(frozen=True)
class LineageChange:
    """A finding, with the current and former names of its dataset and column."""

    finding: ChangeFinding
    urns: tuple[str, ...]
    """The dataset's urn, and its former one if it was renamed."""
    columns: frozenset[str] = frozenset()
    """The column's paths; empty if the change concerns the whole dataset."""

    @property
    def is_whole(self) -> bool:
        """Whether it affects every reader of the dataset."""
        return not self.columns

    @property
    def breaks(self) -> bool:
        """Whether it breaks consumers or gives them wrong results."""
        return self.finding.level is LevelWord.BREAKING

    @property
    def is_rename(self) -> bool:
        """Whether it renames or moves the dataset or a column."""
        return self.finding.action in ("renamed", "moved")

    @property
    def old_urns(self) -> tuple[str, ...]:
        """The former urn of the dataset; its urn if it has no other."""
        return self.urns[1:] or self.urns

    @property
    def old_columns(self) -> frozenset[str]:
        """The former paths of the column; its path if it has no other."""
        return self.columns - {self.finding.field or ""} or self.columns

    @cached_property
    def is_only_for_writers(self) -> bool:
        """Whether readers of the old schema read new data as before."""
        rule = by_name().get(self.finding.rule)
        return rule is not None and not rule.asks_readers and rule.levels.forward < Level.BREAKING

    @property
    def is_about_treatment(self) -> bool:
        """Whether it concerns the governance of data, not its readability."""
        return self.finding.family == Family.GOVERNANCE.value

    @property
    def is_about_promises(self) -> bool:
        """Whether it concerns the guarantees to consumers."""
        one = self.finding
        return one.family == Family.OPERATIONS.value or one.subject.startswith("contract")


def matters(one: ChangeFinding) -> bool:
    """Whether consumers may be affected; policy violations are no changes."""
    return one.level is not LevelWord.INFORMATIONAL and one.family != Family.POLICY.value


def changes_of(dataset: ChangedDataset) -> Iterator[LineageChange]:
    """The findings of a dataset that may affect consumers."""
    renames = tuple(_renames(dataset.findings))
    for one in dataset.findings:
        if matters(one):
            urns = tuple(filter(None, (dataset.urn, dataset.renamed_from)))
            yield LineageChange(one, urns, _columns(one, renames))


def _renames(findings: Iterable[ChangeFinding]) -> Iterator[tuple[str, str]]:
    for one in findings:
        if one.subject == "field" and one.was and one.field:
            yield one.was, one.field


def _columns(one: ChangeFinding, renames: tuple[tuple[str, str], ...]) -> frozenset[str]:
    """The paths of a finding's column; empty if it concerns all columns."""
    is_whole = one.subject.startswith("partition") or one.slug in _BY_POSITION
    return names_of(one.field, renames) if one.field and not is_whole else frozenset()


def removal(urn: str, field: str | None) -> LineageChange:
    """The change that a removal of a dataset or column would be."""
    rule = by_name()["field-removed" if field else "dataset-removed"]
    finding = ChangeFinding(
        fingerprint="-",
        rule=rule.id,
        slug=rule.slug,
        family=rule.family.value,
        level=LevelWord.BREAKING,
        silent=False,
        bump=BumpWord.MAJOR,
        blocks=False,
        waived=False,
        urn=urn,
        field=field,
        subject="field" if field else "dataset",
        action="removed",
        message=rule.slug,
        why=rule.why,
        fix=rule.fix,
        path="-",
        line=0,
    )
    return LineageChange(finding, (urn,), names_of(field, ()) if field else frozenset())


_NAMED = 3


def format_name(name: str) -> str:
    """A name in backticks, distinct from the words of a sentence."""
    return f"`{name}`"


def some(names: Iterable[str], most: int = _NAMED) -> str:
    """The first names of a list, and the number of the others."""
    listed = list(names)
    if len(listed) > most:
        return f"{', '.join(listed[:most])} and {len(listed) - most:,} more"
    *rest, last = listed or [""]
    return f"{', '.join(rest)} and {last}" if rest else last


def format_count(number: int, one: str, many: str = "") -> str:
    """A count with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def short(urn: str) -> str:
    """A dataset's urn without the common prefix."""
    return urn.removeprefix("lumos://")
