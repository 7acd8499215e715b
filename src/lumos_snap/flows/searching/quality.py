"""How good a dataset's data was found to be, as a share of the best there can be."""

from decimal import Decimal

from lumos_snap.canonical.document_kinds import OBSERVATION, SNAPSHOT
from lumos_snap.canonical.read import read
from lumos_snap.documents import Problem
from lumos_snap.errors import LumosError
from lumos_snap.flows.judging import finding, unreadable
from lumos_snap.flows.searching.sharing import HUNDRED
from lumos_snap.model.observation import Observation
from lumos_snap.report.envelope import Finding
from lumos_snap.tree.files import Files


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
    most = Decimal(best) if best is not None else (HUNDRED if number > 1 else Decimal(1))
    return number / most if most > 0 else None


def shown(share: Decimal) -> str:
    """A share, to four digits."""
    return format(round(share, 4).normalize(), "f")
