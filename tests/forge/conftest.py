"""One server for all tests, with the action, a checkout of our own, and repositories to judge."""

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.ci.conftest import CUSTOMERS, drop, edit, example
from tests.forge.build import missing
from tests.forge.gitea import ADMIN, Forge, git, running
from tests.world.action.runs import checkout, packages

CHECKOUT = Path(__file__).parent / "checkout.yml"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.forge)


@dataclass(frozen=True, slots=True)
class Pinned:
    """The commits of the actions on this server."""

    action: str
    checkout: str

    def filled(self, template: str) -> str:
        """A template as somebody copies it: with the owner and the commits of this server."""
        text = template.replace(
            f"your-org/lumos-snap@{'0' * 40}", f"lumos/lumos-snap@{self.action}"
        )
        return re.sub(r"actions/checkout@\w{40}", f"actions/checkout@{self.checkout}", text)


@pytest.fixture(scope="session")
def forge(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forge]:
    if missing():
        pytest.skip(f"not run: `make test-forge` builds {', '.join(missing())}")
    folder = tmp_path_factory.mktemp("forge")
    with running(folder / "gitea", packages(root)) as found:
        for name in ("lumos", "actions", "acme", "mallory"):
            found.add_user(name)
        yield found


@pytest.fixture(scope="session")
def pinned(forge: Forge, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Pinned:
    """The action from this working tree, and a checkout of a few lines, on the server."""
    folder = tmp_path_factory.mktemp("actions")
    own = checkout(root, folder / "lumos-snap")
    shutil.rmtree(own / ".github", ignore_errors=True)
    stub = folder / "checkout"
    stub.mkdir()
    shutil.copy(CHECKOUT, stub / "action.yml")
    git(forge, stub, "init", "-qb", "main")
    git(forge, stub, "add", "-A")
    git(forge, stub, "commit", "-qm", "Checkout")
    commits = (
        forge.push(own, "lumos/lumos-snap", "lumos"),
        forge.push(stub, "actions/checkout", "actions"),
    )
    return Pinned(*commits)


@dataclass(frozen=True, slots=True)
class Project:
    """A repository with a workflow, and where somebody works on it."""

    forge: Forge
    name: str
    folder: Path

    def commit(self, words: str) -> None:
        git(self.forge, self.folder, "add", "-A")
        git(self.forge, self.folder, "commit", "-qm", words, "--allow-empty")

    def push(self, branch: str, name: str = "", user: str = "acme") -> str:
        return self.forge.push(self.folder, name or self.name, user, f"HEAD:refs/heads/{branch}")

    def offer(self, head: str, user: str = "acme") -> int:
        """Open a pull request; returns its number."""
        content = {"title": "Change", "head": head, "base": "main"}
        path = f"/repos/{self.name}/pulls"

        def opened() -> int | None:
            # A branch is known to Gitea a moment after its push has ended.
            answer = self.forge.ask("POST", path, content, user=user)
            return answer.body["number"] if answer.status == 201 else None

        number: int = self.forge.wait(opened)
        return number

    def comments(self, number: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.forge.get(f"/repos/{self.name}/issues/{number}/comments")
        return found

    def statuses(self, commit: str) -> dict[str, str]:
        found = self.forge.get(f"/repos/{self.name}/commits/{commit}/statuses")
        return {one["context"]: one["status"] for one in reversed(found)}

    def merge(self, number: int) -> int:
        path = f"/repos/{self.name}/pulls/{number}/merge"
        return self.forge.ask("POST", path, {"Do": "merge"}, user=ADMIN).status

    def ended(self, commit: str) -> dict[str, Any]:
        return self.forge.ended(self.name, commit)

    def log(self, run: dict[str, Any]) -> str:
        return self.forge.log(self.name, run)

    def drop(self, column: str) -> None:
        edit(self.folder / CUSTOMERS, drop(column))
        self.commit(f"Drop {column}")


New = Callable[..., Project]


@pytest.fixture
def project(forge: Forge, pinned: Pinned, root: Path, tmp_path: Path) -> New:
    """Make a repository with the example's tree and a template; its main line is protected."""

    def make(name: str, change: Callable[[str], str] = str, *, is_private: bool = False) -> Project:
        folder = tmp_path / name
        example(root, folder)
        template = (root / "ci/github/pull-request.yml").read_text()
        (folder / ".github/workflows").mkdir(parents=True)
        (folder / ".github/workflows/snapshots.yml").write_text(change(pinned.filled(template)))
        git(forge, folder, "init", "-qb", "main")
        made = Project(forge, f"acme/{name}", folder)
        made.commit("Start")
        content = {"name": name, "private": is_private, "default_branch": "main"}
        assert forge.ask("POST", "/user/repos", content, user="acme").status == 201
        made.push("main")
        protected = {
            "branch_name": "main", "enable_push": True, "enable_status_check": True,
            "status_check_contexts": ["Snapshots / *"],
        }  # fmt: skip
        path = f"/repos/acme/{name}/branch_protections"
        assert forge.ask("POST", path, protected, user="acme").status == 201
        git(forge, folder, "switch", "-qc", "more")
        return made

    return make
