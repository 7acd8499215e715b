"""Tricks with git itself: repositories, links and settings that a pull request brings along."""

import shutil
import subprocess

from tests.hostile.trick import Answer, PullRequest, Trick

BREAKING = Answer((1,), "marketing_consent")
UNRELATED = {
    "check": "reads the tree as it is; the change leaves nothing that a policy requires",
    "validate": "reads the tree as it is; each document is valid",
    "bump": "a release derives versions; it does not judge",
    "scan --check": "compares with the lake; the trick is about a dataset of another platform",
    "sync": "writes what the tree says; it does not judge",
}


def _bare_repository(request: PullRequest) -> None:
    """Put the files of a bare repository beside the tree's own, with a filter that runs."""
    request.drop_column()
    request.commit()
    bare = request.room / "bare.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(request.repo), str(bare)], check=True)
    for command in (
        ["update-ref", "refs/heads/main", "refs/heads/pr"],
        ["config", "core.bare", "false"],
        ["config", "core.worktree", "."],
        ["config", "core.fsmonitor", request.program()],
        ["config", "filter.x.clean", f"{request.program()}; cat"],
        ["config", "filter.x.required", "true"],
    ):
        subprocess.run(["git", "--git-dir", str(bare), *command], check=True)
    for name in ("HEAD", "config", "objects", "refs", "packed-refs"):
        if (bare / name).is_dir():
            shutil.copytree(bare / name, request.repo / "metadata" / name)
        elif (bare / name).exists():
            shutil.copy(bare / name, request.repo / "metadata" / name)
    for folder in ("metadata/refs/heads", "metadata/refs/tags", "metadata/objects/info"):
        request.write(f"{folder}/.keep", "")
    request.write("metadata/.gitattributes", "* filter=x\n")


TRICKS = (
    Trick(
        name="bare repository",
        place="metadata/",
        what="The folder of the tree holds HEAD, config, objects/ and refs/ of another repository.",
        plant=_bare_repository,
        answers={
            "diff": BREAKING,
            "gate": BREAKING,
            "comment": Answer((0,), "❌ Fail"),
        },
        unaffected=UNRELATED,
        before={"diff": "exit 0", "gate": "exit 0", "comment": "does not say '❌ Fail'"},
    ),
)
