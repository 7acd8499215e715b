"""The fixtures of rules about datasets as they stand: a folder for each.

cases/PO001-required-missing/
  policy.yaml                     what a team asks for
  state.json  observation.json    a dataset that is not so, and its reading where one counts
  expected.json                   what it gives: golden
  near/NAME.json, near/NAME.observation.json    others, which the rule does not fire on
  near.json                       what those give: golden
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import yaml

from lumos_snap.config.settings import Policy, parse_config
from lumos_snap.rules.dataset_state import CheckedDataset
from lumos_snap.rules.finding import Finding
from lumos_snap.rules.messages import message
from lumos_snap.rules.requirements import check, judge_state
from tests.rules.fixtures import FOLDER, TODAY


@dataclass(frozen=True)
class StateCase:
    """One folder."""

    folder: Path
    policy: Policy
    main: CheckedDataset
    near: Mapping[str, CheckedDataset]

    @property
    def rule(self) -> str:
        """The id of its rule."""
        return self.folder.name.partition("-")[0]


def policy_of(settings: object) -> Policy:
    """A policy, as lumos.yaml would have it."""
    raw = yaml.safe_dump({"version": 1, "policy": settings}).encode()
    policy = parse_config(raw, "lumos.yaml").policy
    check(policy)
    return policy


def _case(folder: Path) -> StateCase:
    near = folder / "near"
    names = sorted({path.name.partition(".")[0] for path in near.glob("*.json")})
    return StateCase(
        folder,
        policy_of(yaml.safe_load((folder / "policy.yaml").read_text())),
        _state(folder / "state.json", folder / "observation.json"),
        {name: _state(near / f"{name}.json", near / f"{name}.observation.json") for name in names},
    )


def _state(document: Path, observation: Path) -> CheckedDataset:
    held = orjson.loads(document.read_bytes())
    reading = orjson.loads(observation.read_bytes()) if observation.exists() else None
    return CheckedDataset(held["urn"], held, TODAY, reading)


STATES = tuple(
    _case(folder) for folder in sorted(FOLDER.iterdir()) if (folder / "policy.yaml").exists()
)


def found(policy: Policy, state: CheckedDataset) -> tuple[Finding, ...]:
    """What a policy finds in a dataset, how old it is included."""
    return judge_state((*policy.demands, *policy.freshness), policy, state)


def told(policy: Policy, state: CheckedDataset) -> Iterator[dict[str, Any]]:
    """Findings as golden files have them."""
    for one in found(policy, state):
        yield {
            "rule": one.rule.id,
            "level": one.level.word,
            "blocks": one.blocks,
            **({"field": one.told.path} if one.told.path else {}),
            **({"item": one.told.item} if one.told.item else {}),
            "message": message(one.rule.message, one.told),
        }
