"""The settings in `lumos.yaml`, read and checked."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from lumos_snap.documents import Problem, RefusedError
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
    try:
        raw = path.read_bytes()
    except OSError as exc:
        raise LumosError(
            f"{path}: cannot be read: {exc.strerror}", hint="see `lumos doctor`"
        ) from exc
    return parse_config(raw, str(path))


def parse_config(raw: bytes, name: str) -> Config:
    """The settings that a text stands for; `name` is what errors call it."""
    config, problems = _read(raw)
    if config is None:
        first = problems[0]
        where = f"{name}:{first.place.line}:{first.place.column}"
        raise LumosError(f"{where}: {first.message}", hint=first.hint or "see `lumos doctor`")
    return config


def problems_of_config(raw: bytes) -> tuple[Problem, ...]:
    """Everything that is wrong with the text of settings."""
    return _read(raw)[1]


def _read(raw: bytes) -> tuple[Config | None, tuple[Problem, ...]]:
    # YAML and the validator take their time to load: only for commands that look at settings.
    from lumos_snap.documents import yamltext  # noqa: PLC0415
    from lumos_snap.shape.validation import misfits  # noqa: PLC0415

    try:
        document = yamltext.parse(raw)
    except RefusedError as exc:
        return None, (exc.problem,)
    wrong = misfits(document.value, Config)
    if wrong:
        found = (Problem(document.place(m.pointer), STRUCTURE, m.message, m.hint) for m in wrong)
        return None, tuple(sorted(found))
    return value_of(document.value, Config), ()
