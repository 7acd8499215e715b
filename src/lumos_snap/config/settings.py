"""The settings in `lumos.yaml`, read and checked."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from lumos_snap.documents import Place, Problem, RefusedError
from lumos_snap.errors import LumosError
from lumos_snap.shape import Maybe, Range, Text, Value, value_of

CONFIG_NAME = "lumos.yaml"
STRUCTURE = "structure"


class Observations(StrEnum):
    """Whether git keeps what was measured."""

    IGNORED = "ignored"
    TRACKED = "tracked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(Value):
    """What a team has decided about its tree."""

    version: Annotated[int, Range(least=1, most=1)]
    environment: Maybe[Text] = None
    observations: Observations = Observations.IGNORED


def load_config(root: Path) -> Config:
    """The settings of the tree at `root`; raises `LumosError` that names file, line and column."""
    path = root / CONFIG_NAME
    config, problems = _read(path)
    if config is None:
        first = problems[0]
        where = f"{path}:{first.place.line}:{first.place.column}"
        raise LumosError(f"{where}: {first.message}", hint=first.hint or "see `lumos doctor`")
    return config


def config_problems(root: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with the settings of the tree at `root`."""
    return _read(root / CONFIG_NAME)[1]


def _read(path: Path) -> tuple[Config | None, tuple[Problem, ...]]:
    # YAML and the validator take their time to load: only for commands that look at settings.
    from lumos_snap.documents import yamltext  # noqa: PLC0415
    from lumos_snap.shape.validation import misfits  # noqa: PLC0415

    try:
        raw = path.read_bytes()
    except OSError as exc:
        return None, (Problem(Place(), "unreadable", f"cannot be read: {exc.strerror}"),)
    try:
        document = yamltext.parse(raw)
    except RefusedError as exc:
        return None, (exc.problem,)
    wrong = misfits(document.value, Config)
    if wrong:
        found = (Problem(document.place(m.pointer), STRUCTURE, m.message, m.hint) for m in wrong)
        return None, tuple(sorted(found))
    return value_of(document.value, Config), ()
