"""Waivers in `waivers/*.yaml`: reviewed, expiring acceptances of findings."""

import datetime
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from lumos_snap.documents import DocumentRefusedError, Problem
from lumos_snap.schema import Chars, Maybe, Range, Text, Value, value_class, value_of
from lumos_snap.schema.fast_check import fits

G = TypeVar("G", bound=Mapping[str, Any])

Day = Annotated[
    str, Chars(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$(?!\n)", form="a date such as 2026-01-15")
]


@value_class
class Waiver(Value):
    """A waiver of one finding by its fingerprint, or of a rule on a dataset or a field."""

    fingerprint: Annotated[Maybe[Text], "the one finding that it accepts"] = None
    rule: Annotated[Maybe[Text], "the rule, by id or name, that it accepts findings of"] = None
    dataset: Annotated[Maybe[Text], "a pattern of dataset paths, as in `s3/lake/raw/**`"] = None
    field: Annotated[Maybe[Text], "the field path; left out: every field"] = None
    silent: Annotated[bool, "whether it accepts that other values are read, and nothing fails"] = (
        False
    )
    reason: Annotated[Text, "why the change is accepted"]
    owner: Annotated[Text, "who answers for that"]
    ticket: Annotated[Maybe[Text], "where it was discussed"] = None
    expires: Annotated[Day, "the last day on which it holds"]

    @staticmethod
    def consistent(given: G) -> G:
        """Check that a waiver is either exact or broad."""
        if ("fingerprint" in given) == ("rule" in given):
            raise ValueError("a waiver has either a `fingerprint`, or a `rule` with a `dataset`")
        if "rule" in given and "dataset" not in given:
            raise ValueError("a waiver of a `rule` says for which `dataset`")
        if "fingerprint" in given and ("dataset" in given or "field" in given):
            raise ValueError("a `fingerprint` says which dataset and field: leave those out")
        if "silent" in given and "fingerprint" not in given:
            raise ValueError("only a waiver with a `fingerprint` accepts what is silent")
        if not _is_day(given["expires"]):
            raise ValueError(f"`expires` is no day in any year: {given['expires']}")
        return given


def _is_day(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


@value_class
class WaiverFile(Value):
    """A file of waivers."""

    version: Annotated[int, Range(least=1, most=1)]
    waivers: tuple[Waiver, ...]


def read_waivers(raw: bytes) -> tuple[tuple[Waiver, ...], tuple[Problem, ...]]:
    """Read a file of waivers and its problems; an invalid file has no waivers."""
    from lumos_snap.documents import yaml_text  # noqa: PLC0415 - YAML takes its time to load

    try:
        document = yaml_text.parse(raw)
    except DocumentRefusedError as exc:
        return (), (exc.problem,)
    if not fits(document.value, WaiverFile):
        from lumos_snap.schema.validation import misfits  # noqa: PLC0415 - only to say what is wrong

        found = misfits(document.value, WaiverFile)
        return (), tuple(
            sorted(
                Problem(document.place(m.pointer), "structure", m.message, m.hint) for m in found
            )
        )
    return value_of(document.value, WaiverFile).waivers, ()
