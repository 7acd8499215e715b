"""Field paths of two documents, compared: which touch each other, and how they were called."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from lumos_snap.model.field_path import FieldPath, format_path, parse_path
from lumos_snap.report.diff import BumpWord, ChangedDataset, ChangeFinding, LevelWord
from lumos_snap.rules.registry import by_name
from lumos_snap.rules.severity import Family, Level


@lru_cache(maxsize=65536)
def overlap(one: str, other: str) -> bool:
    """Whether two paths are of one column, or one is inside of the other."""
    if one == other:
        return True
    parts, others = _parts(one), _parts(other)
    least = min(len(parts), len(others))
    return bool(least) and parts[:least] == others[:least]


@lru_cache(maxsize=65536)
def _parts(path: str) -> FieldPath:
    try:
        return parse_path(path)
    except ValueError:  # a law of its own names it; it is like no other path
        return ()


def names_of(path: str, renames: Iterable[tuple[str, str]]) -> frozenset[str]:
    """What a column is called, and was before some columns were renamed, from old to new."""
    found = {path}
    parts = _parts(path)
    for old, new in renames:
        now = _parts(new)
        if now and parts[: len(now)] == now:
            found.add(format_path((*_parts(old), *parts[len(now) :])) or old)
    return frozenset(found)


_BY_POSITION = frozenset(("field-inserted", "field-shuffled", "field-cut-out"))
"""Rules about one column whose harm is that all others are read from another place."""


@dataclass(frozen=True)
class LineageChange:
    """A finding, and what the dataset and the column are called, now and before."""

    finding: ChangeFinding
    urns: tuple[str, ...]
    """The dataset's urn, and its former one where it was renamed."""
    columns: frozenset[str] = frozenset()
    """The column's paths; empty where the change is about the whole dataset."""

    @property
    def is_whole(self) -> bool:
        """Whether every reader of the dataset meets it."""
        return not self.columns

    @property
    def breaks(self) -> bool:
        """Whether somebody's work fails or goes wrong."""
        return self.finding.level is LevelWord.BREAKING

    @property
    def is_rename(self) -> bool:
        """Whether it is about another name, of the dataset or of a column."""
        return self.finding.action in ("renamed", "moved")

    @property
    def old_urns(self) -> tuple[str, ...]:
        """What the dataset is called no more; its urn where it has no other."""
        return self.urns[1:] or self.urns

    @property
    def old_columns(self) -> frozenset[str]:
        """What the column is called no more; its path where it has no other."""
        return self.columns - {self.finding.field or ""} or self.columns

    @cached_property
    def is_only_for_writers(self) -> bool:
        """Whether those who know the old schema read new data as before."""
        rule = by_name().get(self.finding.rule)
        return rule is not None and not rule.asks_readers and rule.levels.forward < Level.BREAKING

    @property
    def is_about_treatment(self) -> bool:
        """Whether it is about how data must be treated, not about what can be read."""
        return self.finding.family == Family.GOVERNANCE.value

    @property
    def is_about_promises(self) -> bool:
        """Whether it is about what consumers were told they may rely on."""
        one = self.finding
        return one.family == Family.OPERATIONS.value or one.subject.startswith("contract")


def matters(one: ChangeFinding) -> bool:
    """Whether somebody downstream may feel it; what a policy misses is no change."""
    return one.level is not LevelWord.INFORMATIONAL and one.family != Family.POLICY.value


def changes_of(dataset: ChangedDataset) -> Iterator[LineageChange]:
    """Each finding of a dataset that somebody may feel."""
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
    """The paths of the column that a finding is about; none where it is about all of them."""
    is_whole = one.subject.startswith("partition") or one.slug in _BY_POSITION
    return names_of(one.field, renames) if one.field and not is_whole else frozenset()


def removal(urn: str, field: str | None) -> LineageChange:
    """What would be noticed if a dataset or a column of it were removed."""
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
    """A name that nobody takes for a word of the sentence."""
    return f"`{name}`"


def some(names: Iterable[str], most: int = _NAMED) -> str:
    """The first of some names, and how many more there are."""
    listed = list(names)
    if len(listed) > most:
        return f"{', '.join(listed[:most])} and {len(listed) - most:,} more"
    *rest, last = listed or [""]
    return f"{', '.join(rest)} and {last}" if rest else last


def format_count(number: int, one: str, many: str = "") -> str:
    """A number of things."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def short(urn: str) -> str:
    """A dataset's urn without what all urns begin with."""
    return urn.removeprefix("lumos://")
