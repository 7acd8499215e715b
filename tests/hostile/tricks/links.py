"""Tricks with symbolic links in the tree and in its state, and with state that was committed."""

import json
import shutil
from collections.abc import Callable, Mapping

from tests.hostile.trick import CUSTOMERS, SETTINGS, Answer, PullRequest, Trick

Plant = Callable[[PullRequest], object]

BREAKING = Answer((1,), "marketing_consent")
SAYS_SO = Answer((0,), "❌ Fail")
JUDGED = {"diff": BREAKING, "gate": BREAKING, "comment": SAYS_SO}
INVALID = Answer((1,), "it is a link")
LINK = Answer((3,), "is a link")
COMMITTED = Answer((3,), "is committed to the repository, so it is not trusted")
STATE = "metadata/.lumos"
SPARED = {
    "check": "reads documents and settings only, which are valid",
    "validate": "reads documents and settings only, which are valid",
    "bump": "reads documents and settings only, and does not judge",
    "scan --check": "reads its sources and its memory only, which are in line",
    "sync": "reads documents, its journal and the catalog only",
}


def row(
    name: str,
    place: str,
    plant: Plant,
    answers: Mapping[str, Answer],
    *,
    what: str,
    before: Mapping[str, str] | None = None,
    commands: Mapping[str, tuple[str, ...]] | None = None,
    machine: Plant = lambda _: None,
    environment: Mapping[str, str] | None = None,
) -> Trick:
    """A row in which diff, gate and comment find what breaks, unless `answers` says otherwise."""
    expected = {**JUDGED, **answers}
    return Trick(
        name=name,
        place=place,
        what=what,
        plant=plant,
        answers=expected,
        unaffected={name: why for name, why in SPARED.items() if name not in expected},
        before=before or {},
        commands=commands or {},
        machine=machine,
        environment=environment or {},
    )


def outwards(path: str, target: str, settings: str = "") -> Plant:
    """A change that breaks, beside a link to a file or folder outside of the repository."""

    def plant(request: PullRequest) -> None:
        (request.outside / "folder").mkdir()
        request.drop_column()
        request.settings(settings)
        request.link(path, request.outside / target)
        request.force(path)

    return plant


def _elsewhere(path: str) -> Plant:
    """What lay there now lies outside of the repository, and a link leads to it."""

    def plant(request: PullRequest) -> None:
        target = request.outside / path.rpartition("/")[2]
        shutil.move(request.repo / path, target)
        request.link(path, target)

    return plant


_DOCUMENT = {
    **dict.fromkeys(("diff", "gate", "check", "validate", "bump", "sync"), INVALID),
    "comment": SAYS_SO,
}
_SCAN = "metadata/.lumos/scan/lake.gz"
_JOURNAL = "metadata/.lumos/sync/copy.jsonl"
_TEMPORARY = f"{STATE}/tmp"  # noqa: S108 - below the tree


def _more_in_the_lake(request: PullRequest) -> None:
    (request.room / "lake/orders/part-0.csv").write_text("id,amount,note\n1,2.50,a\n")


def _forged_memory(request: PullRequest) -> None:
    request.drop_column()
    request.force(_SCAN)


def _forged_journal(request: PullRequest) -> None:
    """A run that was cut off while it emptied the catalog."""
    request.drop_column()
    customers = ["snapshot", "lumos://postgres/shop/public/customers"]
    base = request.git("show", f"main:{CUSTOMERS}")
    lines = (
        {"journal": 1, "catalog": "copy", "plan": "x", "items": 1},
        {"pending": customers, "base": json.loads(base), "tree": None},
        {"sent": customers, "stage": "write"},
    )
    request.write(_JOURNAL, "".join(f"{json.dumps(line)}\n" for line in lines))
    request.force(_JOURNAL)


def _folder_after_link(request: PullRequest) -> None:
    """The target has a link where the pull request has a folder: nothing seems to lie there."""
    request.git("switch", "--quiet", "main")
    request.git("mv", "metadata", "meta")
    request.link("metadata", "meta")
    request.commit()
    request.git("switch", "--quiet", "-C", "pr")
    (request.repo / "metadata").unlink()
    request.git("mv", "meta", "metadata")
    request.drop_column()


TRICKS = (
    row(
        "a link in place of a document",
        CUSTOMERS,
        _elsewhere(CUSTOMERS),
        _DOCUMENT,
        what="A snapshot is a link to a file outside of the repository.",
        before={"check": "exit 0", "sync": "exit 0"},
    ),
    row(
        "a link in place of a platform",
        "metadata/snapshots/postgres",
        _elsewhere("metadata/snapshots/postgres"),
        _DOCUMENT,
        what="A folder of snapshots is a link to a folder outside of the repository.",
        before={"check": "exit 0", "sync": "exit 0"},
    ),
    row(
        "a link in place of all snapshots",
        "metadata/snapshots",
        _elsewhere("metadata/snapshots"),
        {**_DOCUMENT, **dict.fromkeys(("check", "scan --check", "sync"), LINK)},
        what="The folder of all snapshots is a link to a folder outside of the repository.",
    ),
    row(
        "a link in place of the settings",
        SETTINGS,
        _elsewhere(SETTINGS),
        {
            **dict.fromkeys(
                ("diff", "gate", "check", "comment", "scan --check", "sync"),
                Answer((2,), "as a plain file"),
            ),
            "validate": Answer((1,), "as a plain file"),
            "bump": Answer((2,), "is not committed"),
        },
        what="`lumos.yaml` is a link to a file outside of the repository.",
    ),
    row(
        "a folder after a link",
        "metadata",
        _folder_after_link,
        dict.fromkeys(("diff", "gate", "comment"), Answer((3,), "was a link")),
        what="The tree was reached through a link, which the change replaces by the folder.",
        before={"diff": "exit 0", "gate": "exit 0"},
    ),
    row(
        "state behind a link",
        STATE,
        outwards(STATE, "folder"),
        {"sync": LINK, "scan --check": LINK},
        what="All that Lumos keeps beside the tree would lie outside of the repository.",
        before={"scan --check": "exit 0"},
    ),
    row(
        "a linked list of ignored files",
        f"{STATE}/.gitignore",
        outwards(f"{STATE}/.gitignore", "new.txt"),
        {"sync": LINK, "scan --check": COMMITTED},
        what="Whatever writes state would make a file outside of the repository.",
        before={"scan --check": "exit 0"},
    ),
    row(
        "a linked folder of journals",
        f"{STATE}/sync",
        outwards(f"{STATE}/sync", "folder"),
        {"sync": LINK},
        what="A sync would keep its journal outside of the repository.",
        before={"sync": "exit 0"},
    ),
    row(
        "a linked journal",
        _JOURNAL,
        outwards(_JOURNAL, "diary.txt"),
        {"sync": LINK},
        what="A sync would append to a file outside of the repository.",
        before={"sync": "wrote outside: outside/diary.txt"},
    ),
    row(
        "a forged journal",
        _JOURNAL,
        _forged_journal,
        {"sync": COMMITTED},
        commands={"sync": ("sync", "--resume", "-C", "metadata")},
        what="A run that seems to be cut off would be finished as the pull request likes.",
        before={"sync": "exit 0"},
    ),
    row(
        "a linked folder of memory",
        f"{STATE}/scan",
        outwards(f"{STATE}/scan", "folder"),
        {"scan --check": LINK},
        what="A scan would read and keep what it remembers outside of the repository.",
        before={"scan --check": "exit 0"},
    ),
    row(
        "a linked memory",
        _SCAN,
        outwards(_SCAN, "diary.txt"),
        {"scan --check": LINK},
        what="A scan would read a file outside of the repository.",
        before={"scan --check": "exit 0"},
    ),
    row(
        "a forged memory",
        _SCAN,
        _forged_memory,
        {"scan --check": COMMITTED},
        what="A scan would believe what a pull request says of files.",
        before={"scan --check": "exit 0"},
    ),
    row(
        "a linked lock",
        f"{STATE}/lock",
        outwards(f"{STATE}/lock", "diary.txt"),
        {"scan --check": LINK},
        commands={"scan --check": ("scan", "-C", "metadata")},
        machine=_more_in_the_lake,
        what="A scan that writes would lock, and write to, a file outside of the repository.",
    ),
    row(
        "a linked folder of temporary files",
        _TEMPORARY,
        outwards(_TEMPORARY, "folder"),
        {"scan --check": LINK},
        commands={"scan --check": ("scan", "-C", "metadata")},
        machine=_more_in_the_lake,
        what="A scan that writes would prepare its files outside of the repository.",
    ),
)
