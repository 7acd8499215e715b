"""Both sides changed the same thing: a person decides, or a policy, and nothing is lost."""

import pytest

from tests.datahub.home import Home
from tests.datahub.hub import Hub


@pytest.fixture
def clash(home: Home, hub: Hub) -> Home:
    """Git and Jane put a dataset into two domains; a second dataset has nothing of it."""
    for name in ("a", "b"):
        home.put(name, governance={"domain": home.named("first")})
    home.commit()
    home.push()
    home.change("a", governance={"domain": home.named("git")})
    home.change("b", governance={"domain": home.named("second")})
    hub.edit(home.urn("a"), "domains", {"domains": [named(home, "jane")]})
    return home


def named(home: Home, name: str) -> str:
    return f"urn:li:domain:{home.named(name)}"


def there(home: Home, hub: Hub, name: str = "a") -> list[str]:
    found: list[str] = hub.value(home.urn(name), "domains")["domains"]
    return found


def in_tree(home: Home) -> str:
    found: str = home.read("a")["governance"]["domain"]
    return found


def test_a_conflict_is_shown_left_alone_and_the_rest_goes_on(clash: Home, hub: Hub) -> None:
    ran = clash.sync("--apply", "--yes")
    assert ran.code == 1
    assert "1 in conflict" in ran.out
    assert "governance.domain" in ran.out
    assert there(clash, hub) == [named(clash, "jane")]
    assert in_tree(clash) == clash.named("git")
    assert there(clash, hub, "b") == [named(clash, "second")]


def test_a_policy_can_say_that_git_is_right(clash: Home, hub: Hub) -> None:
    clash.settings(policy="{governance.domain: git}")
    clash.push()
    assert there(clash, hub) == [named(clash, "git")]
    assert clash.is_settled()


def test_a_policy_can_say_that_the_catalog_is_right(clash: Home, hub: Hub) -> None:
    clash.settings(policy="{governance.domain: catalog}")
    clash.push()
    assert there(clash, hub) == [named(clash, "jane")]
    clash.pull()
    assert in_tree(clash) == clash.named("jane")
    assert clash.is_settled()


@pytest.mark.parametrize("answer", ["jane", "git", "third"])
def test_a_person_decides_by_editing_the_tree(clash: Home, hub: Hub, answer: str) -> None:
    """Who takes the catalog's word says it; who wants another one says so in both places."""
    clash.change("a", governance={"domain": clash.named(answer)})
    if answer != "jane":
        hub.edit(clash.urn("a"), "domains", {"domains": [named(clash, answer)]})
    clash.push()
    assert there(clash, hub) == [named(clash, answer)]
    assert clash.is_settled()


def test_with_merge_lists_come_together_and_only_clashes_are_left(clash: Home, hub: Hub) -> None:
    governance = {"domain": clash.named("git"), "tags": [clash.named("ours")]}
    clash.change("a", governance=governance)
    hub.edit(
        clash.urn("a"), "globalTags", {"tags": [{"tag": f"urn:li:tag:{clash.named('theirs')}"}]}
    )
    assert clash.sync("--apply", "--yes").code == 1
    tags = {one["tag"] for one in hub.value(clash.urn("a"), "globalTags")["tags"]}
    assert tags == {f"urn:li:tag:{clash.named(one)}" for one in ("ours", "theirs")}
    assert there(clash, hub) == [named(clash, "jane")]


def test_machines_are_told_as_well_why_nothing_was_done(clash: Home) -> None:
    clash.sync("--apply", "--yes")
    ran = clash.sync("--apply", "--yes", "--json")
    assert ran.code == 1
    assert ran.json["counts"]["conflicting"] == 1
    (conflict,) = ran.json["documents"][0]["conflicts"]
    assert conflict["at"] == "governance.domain"
    clash.settings(policy="{governance.domain: git}")
    assert clash.push("--json").json["counts"]["written"] == 1
    assert clash.push("--json").json["counts"]["changed"] == 0
