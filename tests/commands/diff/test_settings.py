"""Whether an edit of a policy makes it looser or stricter, setting by setting."""

from typing import Any

import pytest
import yaml

from lumos_snap.commands.diff.settings import policy_changes
from lumos_snap.config.settings import Policy, parse_config

ONE, OTHER = ({"match": f"s3/{name}/**", "reason": "not ours"} for name in ("a", "b"))
REWORDED = {**ONE, "reason": "theirs"}


def policy(settings: dict[str, Any]) -> Policy:
    text = yaml.safe_dump({"version": 1, "policy": settings})
    return parse_config(text.encode(), "lumos.yaml").policy


def owners(**terms: Any) -> dict[str, Any]:
    return {"owners": [{"match": "s3/**", **terms}]}


@pytest.mark.parametrize(
    ("old", "new", "effect"),
    [
        (owners(), owners(**{"except": [ONE]}), "looser"),
        (owners(**{"except": [ONE]}), owners(**{"except": [ONE, OTHER]}), "looser"),
        (owners(**{"except": [ONE, OTHER]}), owners(**{"except": [ONE]}), "stricter"),
        (owners(**{"except": [ONE]}), owners(**{"except": [OTHER]}), "different"),
        (owners(**{"except": [ONE]}), owners(**{"except": [REWORDED]}), "different"),
        (owners(), owners(level="warn"), "looser"),
        (owners(least=2), owners(), "looser"),
        (owners(), {}, "looser"),
        ({}, owners(), "stricter"),
    ],
)
def test_an_edit_is_looser_stricter_or_different(
    old: dict[str, Any], new: dict[str, Any], effect: str
) -> None:
    (found,) = policy_changes("lumos.yaml", policy(old), policy(new), None)
    assert found.effect == effect
