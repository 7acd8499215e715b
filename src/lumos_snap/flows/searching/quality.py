"""How good a dataset's data was found to be, as a share of the best there can be."""

from decimal import Decimal, InvalidOperation

from lumos_snap.canonical.kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.reading import read
from lumos_snap.documents import Problem
from lumos_snap.errors import LumosError
from lumos_snap.flows.judging import finding, unreadable
from lumos_snap.model.observation import Observation
from lumos_snap.report.base import Finding
from lumos_snap.tree.files import Files

_HUNDRED = Decimal(100)


def least_share(text: str) -> Decimal:
    """The share that somebody asks for: `0.9`, `90` and `90%` are one."""
    try:
        number = Decimal(text.strip().removesuffix("%"))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite() or not 0 <= number <= _HUNDRED:
        raise LumosError(f"{text!r} is no quality", hint="give a share or a percentage: 0.9, 90%")
    return number / _HUNDRED if number > 1 or text.strip().endswith("%") else number


def measured(files: Files, path: str) -> tuple[Decimal | None, Finding | None]:
    """The share that the observation of a snapshot says; or what is wrong with the observation."""
    place = OBSERVATION.folder + path.removeprefix(SNAPSHOT.folder)
    try:
        content = files.read(place)
    except LumosError as exc:
        return None, finding(place, unreadable(OSError(exc.message)))
    if content is None:
        return None, None
    reading = read(content, Observation)
    if reading.document is None:
        return None, _first(place, reading.problems)
    quality = reading.document.get("quality", {})
    return _share(quality.get("score"), quality.get("score_of")), None


def _first(place: str, problems: tuple[Problem, ...]) -> Finding:
    return finding(place, problems[0])


def _share(score: str | None, best: str | None) -> Decimal | None:
    """A score that does not say what the best is counts to 1, or, where it is above, to 100."""
    if score is None:
        return None
    number = Decimal(score)
    most = Decimal(best) if best is not None else (_HUNDRED if number > 1 else Decimal(1))
    return number / most if most > 0 else None


def shown(share: Decimal) -> str:
    """A share, to four digits."""
    return format(round(share, 4).normalize(), "f")
