"""Which settings judge a change: those at the tip of the target branch, and its own."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lumos_snap.commands.diff.policies import Judges, require_sound
from lumos_snap.commands.diff.sides import Asked, Chosen
from lumos_snap.config import CONFIG_NAME
from lumos_snap.errors import LumosError
from lumos_snap.git import blobs, find_repository, names, open_repository, refuse_committed_links
from lumos_snap.report.diff import PolicyChange, Remark

if TYPE_CHECKING:
    from lumos_snap.config.settings import NewWaivers, Policy


@dataclass(frozen=True, slots=True)
class Ruling:
    """The policy of the new side, and that of the target where it is another one."""

    policy: "Policy"
    target: "Policy | None" = None
    target_name: str = ""
    changes: tuple[PolicyChange, ...] = ()
    """What the change itself does to the policy."""
    remarks: tuple[Remark, ...] = ()

    def judges(self, asked: Asked) -> Judges:
        """Those who judge the change."""
        target = None if self.target == self.policy else self.target
        return Judges(self.policy, target, self.target_name, asked.today)

    @property
    def new_waivers(self) -> "NewWaivers":
        """What becomes of new waivers: the stricter of both says so."""
        from lumos_snap.config.settings import STRICTNESS_OF_WAIVERS  # noqa: PLC0415 - as above

        both = (one.new_waivers for one in (self.policy, self.target) if one is not None)
        return max(both, key=STRICTNESS_OF_WAIVERS.index)


def ruling(chosen: Chosen, config: Path | None) -> Ruling:
    """The policies that judge: of `lumos.yaml` on both sides, or of a file that is named."""
    # Loads while git looks.
    from lumos_snap.config.settings import Policy, parse_config  # noqa: PLC0415

    if config is None:
        policy, present = chosen.policy, None
    else:
        present = _named(config)
        policy = parse_config(present, str(config)).policy
    require_sound(policy)
    target = chosen.target
    if target is None:
        return Ruling(policy)
    settings = target.now.settings if config is None else _at(chosen, config, target.tip)
    name = _path(chosen, config)
    remarks: tuple[Remark, ...] = ()
    try:
        agreed = None if settings is None else _sound(settings, name)
    except LumosError as exc:
        agreed, remarks = Policy(), (_unreadable(target.name, name, exc),)
    if agreed is None or agreed == policy:
        return Ruling(policy, remarks=remarks)
    changes = tuple(_changes(chosen, config, policy, agreed))
    return Ruling(policy, agreed, target.name, changes, remarks)


def _path(chosen: Chosen, config: Path | None) -> str:
    """The file of the policy, from the folder of the tree, as other paths of a report are."""
    if config is None:
        return CONFIG_NAME
    return Path(os.path.relpath(config, chosen.head_tree.root)).as_posix()


def _named(config: Path) -> bytes:
    refuse_committed_links(config)
    try:
        return config.read_bytes()
    except OSError as exc:
        message = f"{config}: cannot be read: {exc.strerror}"
        raise LumosError(message, hint="--config names a file like lumos.yaml") from exc


def _sound(settings: bytes, name: str) -> "Policy":
    from lumos_snap.config.settings import parse_config  # noqa: PLC0415 - loads while git looks

    policy = parse_config(settings, name).policy
    require_sound(policy)
    return policy


def _unreadable(target: str, name: str, why: LumosError) -> Remark:
    message = (
        f"the policy of `{target}` cannot be read, the default policy applies in its place: {why}"
    )
    return Remark(path=name, message=message)


def _changes(
    chosen: Chosen, config: Path | None, policy: "Policy", agreed: "Policy"
) -> Iterator[PolicyChange]:
    """What the change does to the policy; what only the target has changed is not its doing."""
    from lumos_snap.commands.diff.policy_changes import policy_changes  # noqa: PLC0415 - policies seldom change

    target = chosen.target
    assert target is not None  # noqa: S101 - there is an agreed policy
    former = target.before.settings if config is None else _at(chosen, config, target.base)
    path = _path(chosen, config)
    try:
        start = None if former is None else _sound(former, path)
    except LumosError:
        start = None
    yield from policy_changes(path, agreed, policy, start)


def _at(chosen: Chosen, config: Path, commit: str | None) -> bytes | None:
    """What the file was at a commit; nothing for one that is of another repository, or of none."""
    repository = find_repository(config.parent)
    if commit is None or repository is None:
        return None
    if repository.common != open_repository(chosen.head_tree.root).common:
        return None
    entry = names(repository, commit, (config.name,)).get(config.name)
    return None if entry is None else next(blobs(repository, [entry.oid]))[1]
