"""Diffs and results of trees, made up of names alone."""

from lumos_snap.report.diff import (
    BumpWord,
    ChangedDataset,
    ChangeFinding,
    ChangeWord,
    ComparedSide,
    Counts,
    DiffReport,
    LevelWord,
)
from lumos_snap.report.gate import TreeResult


def finding(name: str, level: LevelWord = LevelWord.BREAKING) -> ChangeFinding:
    return ChangeFinding(
        fingerprint="f", rule="SC001", slug="field-removed", family="readers", level=level,
        silent=False, bump=BumpWord.MAJOR, blocks=level is LevelWord.BREAKING, waived=False,
        urn="lumos://s3/x", field=name, subject="field", action="removed",
        message=f"{name} was removed", why=name, fix=name, path=name, line=3,
    )  # fmt: skip


def difference(*names: str, datasets: int = 1) -> DiffReport:
    found = tuple(finding(name) for name in names)
    return DiffReport(
        base=ComparedSide(name="main"),
        head=ComparedSide(name="the working tree"),
        verdict="fail" if names else "pass",
        reasons=(f"{len(names)} breaking changes",) if names else (),
        fail_on="breaking",
        bump=BumpWord.MAJOR if names else BumpWord.NONE,
        counts=Counts(
            datasets=datasets if names else 0, silent=0, breaking=len(names), non_breaking=0,
            informational=0, waived=0,
        ),
        datasets=tuple(
            ChangedDataset(
                urn=f"lumos://s3/{names[0]}", path=names[0], change=ChangeWord.CHANGED,
                bump=BumpWord.MAJOR, readers=(), findings=found,
            )
            for _ in range(datasets)
        ) if names else (),
        entities=(), damaged=(), undecided=(), remarks=(),
    )  # fmt: skip


def judged(name: str, *names: str, datasets: int = 1) -> TreeResult:
    return TreeResult(
        name=name, difference=difference(*names, datasets=datasets), exit=1 if names else 0
    )


def undecided(name: str, problem: str) -> TreeResult:
    return TreeResult(name=name, problem=problem, hint=problem, exit=3)
