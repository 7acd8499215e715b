"""Tricks with git itself: repositories, programs and settings that a pull request brings along."""

import shutil
import subprocess
from collections.abc import Callable

from tests.hostile.trick import CUSTOMERS, Answer, PullRequest, Trick, everywhere
from tests.hostile.tricks.links import row

Plant = Callable[[PullRequest], object]

RAN = "ran a program"
BEHIND = Answer((3,), "is a link inside the repository")
PASSED = {"diff": "exit 0", "gate": "exit 0"}
STARTED = {"diff": RAN, "gate": RAN}


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


def _behind_link(request: PullRequest) -> None:
    request.drop_column()
    request.git("mv", "metadata", "meta")
    shutil.rmtree(request.repo / "metadata", ignore_errors=True)
    request.link("metadata", "meta")


def _tree_around(request: PullRequest) -> None:
    request.drop_column()
    request.git("rm", "--quiet", "metadata/lumos.yaml")
    request.write("lumos.yaml", "version: 1\n")


def _other_signs(request: PullRequest) -> None:
    """Commit another name of a column, which git writes to the disk as the one from before."""
    before = request.git("show", f"main:{CUSTOMERS}") + "\n"
    file = request.room / "committed.json"
    file.write_text(before.replace("consent", "cons\u00e9nt"), encoding="utf-8")
    oid = request.git("hash-object", "-w", "--no-filters", str(file))
    request.git("update-index", "--cacheinfo", f"100644,{oid},{CUSTOMERS}")
    request.git("commit", "--quiet", "-m", "Rename")
    (request.repo / CUSTOMERS).unlink()
    request.git("checkout", "--", CUSTOMERS)


def _with(*files: tuple[str, str]) -> Plant:
    """A change that breaks, beside files that git reads."""

    def plant(request: PullRequest) -> None:
        request.drop_column()
        for path, content in files:
            request.write(path, content.replace("PROGRAM", request.program()))

    return plant


def _configured(*settings: tuple[str, str]) -> Plant:
    """A machine whose own git is set up so, with files that look touched."""

    def machine(request: PullRequest) -> None:
        for name, value in settings:
            request.git("config", name, value.replace("PROGRAM", request.program()))
        (request.repo / CUSTOMERS).touch()
        (request.repo / "metadata/lumos.yaml").touch()

    return machine


def _with_hooks(request: PullRequest) -> None:
    request.drop_column()
    for name in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"):
        hook = request.write(f".hooks/{name}", f"#!/bin/sh\n{request.program()}\n")
        hook.chmod(0o755)


def _submodule(request: PullRequest) -> None:
    """The folder of the tree becomes a repository of its own, whose main has what breaks."""
    request.drop_column()
    inner = request.room / "inner"
    shutil.move(request.repo / "metadata", inner)
    shutil.rmtree(inner / ".lumos")
    for command in (
        ("init", "--quiet", "--initial-branch", "main"),
        ("add", "--all"),
        ("commit", "--quiet", "-m", "Start"),
    ):
        subprocess.run(["git", *command], cwd=inner, check=True)
    request.git("rm", "-r", "-q", "--cached", "metadata")
    allowed = ("-c", "protocol.file.allow=always")
    request.git(*allowed, "submodule", "--quiet", "add", str(inner), "metadata")


def _unknown_base(request: PullRequest) -> None:
    request.git("remote", "add", "origin", "ssh://127.0.0.1:9/nowhere.git")
    _configured(("include.path", "../.gitconfig"))(request)


_FETCHED = {
    "diff": ("diff", "--base", "elsewhere", "-C", "metadata"),
    "gate": ("gate", "--base", "elsewhere", "metadata"),
    "comment": ("comment", "--base", "elsewhere", "--dry-run", "-C", "metadata"),
}

TRICKS: tuple[Trick, ...] = (
    row(
        "bare repository",
        "metadata/",
        _bare_repository,
        {},
        what="The folder of the tree holds HEAD, config, objects/ and refs/ of another repository.",
        before={**PASSED, "comment": "does not say '❌ Fail'"},
    ),
    Trick(
        name="the tree behind a link",
        place="metadata",
        what="The folder of the tree is moved, and a link stands in its place.",
        plant=_behind_link,
        answers=everywhere(BEHIND),
        before=PASSED,
    ),
    row(
        "the tree as a submodule",
        "metadata",
        _submodule,
        dict.fromkeys(("diff", "gate", "comment"), Answer((3,), "is a submodule")),
        what="The folder of the tree becomes a repository of its own, with a history to suit.",
        before=PASSED,
    ),
    row(
        "a tree around the tree",
        "lumos.yaml",
        _tree_around,
        dict.fromkeys(
            ("diff", "gate", "comment"), Answer((3,), "the base has metadata/lumos.yaml")
        ),
        what="The settings of the tree are gone, and a tree around it, without datasets, answers.",
        before={**PASSED, "comment": "exit 0"},
    ),
    row(
        "a filter for documents",
        ".gitattributes",
        _with((".gitattributes", "*.json filter=machine\nlumos.yaml filter=machine\n")),
        {},
        machine=_configured(("filter.machine.clean", "PROGRAM; cat")),
        what="Attributes make git run a filter that the machine has for other files.",
        before=STARTED,
    ),
    row(
        "a required filter process",
        "metadata/.gitattributes",
        _with(("metadata/.gitattributes", "* filter=machine\n")),
        {},
        machine=_configured(
            ("filter.machine.process", "PROGRAM"), ("filter.machine.required", "true")
        ),
        what="Attributes make git start a filter process that the machine has for other files.",
        before=STARTED,
    ),
    row(
        "a driver for diffs",
        ".gitattributes",
        _with((".gitattributes", "* diff=machine merge=machine\n")),
        {},
        machine=_configured(
            ("diff.machine.textconv", "PROGRAM; cat"),
            ("diff.machine.command", "PROGRAM"),
            ("diff.external", "PROGRAM"),
            ("merge.machine.driver", "PROGRAM"),
        ),
        what="Attributes name drivers that show or merge files in a way of their own.",
    ),
    row(
        "a file system monitor",
        ".gitconfig",
        _with((".gitconfig", '[core]\n\tfsmonitor = "PROGRAM"\n')),
        {},
        machine=_configured(("include.path", "../.gitconfig")),
        what="The clone includes a file of the tree in its settings, which names a program.",
    ),
    row(
        "a filter of its own",
        ".gitconfig",
        _with(
            (".gitconfig", '[filter "own"]\n\tclean = "PROGRAM; cat"\n\trequired = true\n'),
            (".gitattributes", "* filter=own\n"),
        ),
        {"sync": Answer((3,), "git takes settings from")},
        machine=_configured(("include.path", "../.gitconfig")),
        what="The clone includes a file of the tree in its settings, which brings a filter.",
        before=STARTED,
    ),
    row(
        "a program that connects",
        ".gitconfig",
        _with((".gitconfig", '[core]\n\tsshCommand = "PROGRAM"\n')),
        {
            **dict.fromkeys((*_FETCHED, "sync"), Answer((3,), "git takes settings from")),
        },
        machine=_unknown_base,
        commands=_FETCHED,
        what="The clone includes a file of the tree in its settings, which names ssh's program.",
        before={"sync": RAN},
    ),
    row(
        "hooks",
        ".hooks/",
        _with_hooks,
        {},
        machine=_configured(("core.hooksPath", ".hooks")),
        what="The clone takes its hooks from a folder of the tree.",
        before={"sync": RAN},
    ),
    row(
        "everything ignored",
        ".gitignore",
        _with((".gitignore", "*\n"), ("metadata/.gitignore", "snapshots/\nlumos.yaml\n")),
        {},
        what="All files of the tree are to be ignored.",
    ),
    row(
        "documents as binary files",
        ".gitattributes",
        _with((".gitattributes", "* -diff -text binary export-ignore linguist-generated\n")),
        {},
        what="Attributes tell git to show no difference in documents.",
    ),
    row(
        "other signs on disk",
        ".gitattributes",
        _with((".gitattributes", "*.json text working-tree-encoding=ASCII//TRANSLIT\n")),
        dict.fromkeys(
            ("diff", "gate", "comment"), Answer((3,), "git checks .*customers.json out as")
        ),
        machine=_other_signs,
        what="A column is renamed to a name that git writes to the disk as the former one.",
        before={**PASSED, "comment": "exit 0"},
    ),
    row(
        "submodule settings",
        ".gitmodules",
        _with(
            (".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = "!PROGRAM"\n'),
        ),
        {},
        what="The settings of a submodule name a program.",
    ),
)
