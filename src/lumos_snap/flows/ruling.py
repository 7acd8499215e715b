"""Which settings judge a change: those of the tree, or of a file that is named instead."""

from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.errors import LumosError
from lumos_snap.flows.sides import Chosen
from lumos_snap.git import blobs, find_repository, names, open_repository

if TYPE_CHECKING:
    from lumos_snap.config.settings import Policy


def ruling(chosen: Chosen, config: Path | None) -> "tuple[Policy, bytes | None]":
    """The policy, and what the named file said on the old side, where it differs."""
    if config is None:
        return chosen.policy, None
    from lumos_snap.config.settings import parse_config  # noqa: PLC0415 - loads while git looks

    try:
        raw = config.read_bytes()
    except OSError as exc:
        message = f"{config}: cannot be read: {exc.strerror}"
        raise LumosError(message, hint="--config names a file like lumos.yaml") from exc
    policy = parse_config(raw, str(config)).policy
    before = _before(chosen, config)
    return policy, None if before == raw else before


def _before(chosen: Chosen, config: Path) -> bytes | None:
    """What the file was at the base; nothing for one that is of another repository, or of none."""
    repository = find_repository(config.parent)
    if chosen.base.commit is None or repository is None:
        return None
    if repository.common != open_repository(chosen.head_tree.root).common:
        return None
    entry = names(repository, chosen.base.commit, (config.name,)).get(config.name)
    return None if entry is None else next(blobs(repository, [entry.oid]))[1]
