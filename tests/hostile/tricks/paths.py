"""Tricks with what settings or jobs name: links at paths, programs, modules."""

import shutil

from tests.hostile.trick import SETTINGS, Answer, PullRequest
from tests.hostile.tricks.links import LINK, STATE, outwards, row

UNSAFE = Answer((3,), "such links are not followed")
TO_OTHER = {"sync": ("sync", "--apply", "--yes", "--to", "other", "-C", "metadata")}


def _catalog(path: str) -> str:
    return f"  - {{name: other, type: files, path: {path}}}\n"


def _link_in_catalog(request: PullRequest) -> None:
    request.drop_column()
    request.settings(_catalog("../catalog"))
    (request.outside / "folder").mkdir()
    request.link("catalog/snapshots", request.outside / "folder")


def _certificates(request: PullRequest) -> None:
    request.drop_column()
    server = "server: 'https://127.0.0.1:9', certificates: ca.pem"
    request.settings(f"  - {{name: other, type: datahub, {server}}}\n")
    request.link("metadata/ca.pem", request.outside / "diary.txt")


def _other_server(request: PullRequest) -> None:
    request.drop_column()
    server = "server: 'http://127.0.0.1:9', token_from: HOME_TOKEN"
    request.settings(f"  - {{name: other, type: datahub, {server}}}\n")


def _source_behind_link(request: PullRequest) -> None:
    request.drop_column()
    request.edit(SETTINGS, "../../lake", "../data")
    request.link("data", request.room / "lake")


def _link_out_of_source(request: PullRequest) -> None:
    request.drop_column()
    request.edit(SETTINGS, "../../lake", "../data")
    shutil.copytree(request.room / "lake", request.repo / "data")
    request.link("data/orders/part-1.csv", request.outside / "diary.txt")


def _named_settings(request: PullRequest) -> None:
    request.drop_column()
    (request.outside / "ci.yaml").write_text("version: 1\npolicy: {fail_on: none}\n")
    request.link("ci.yaml", request.outside / "ci.yaml")


def _moved_settings(request: PullRequest) -> None:
    """The folder of the settings is moved behind a link, and what they ask for is loosened."""
    request.git("switch", "--quiet", "main")
    request.write("ci/lumos.yaml", "version: 1\n")
    request.commit()
    request.git("switch", "--quiet", "-C", "pr")
    request.git("mv", "ci", "other")
    request.write("other/lumos.yaml", "version: 1\npolicy: {fail_on: none}\n")
    request.link("ci", "other")
    request.drop_column()


def _reports(request: PullRequest) -> None:
    request.drop_column()
    (request.outside / "folder").mkdir()
    request.link("reports", request.outside / "folder")


def _judged_by(settings: str) -> dict[str, tuple[str, ...]]:
    return {
        "diff": ("diff", "--base", "main", "--config", settings, "-C", "metadata"),
        "gate": ("gate", "--base", "main", "--config", settings, "metadata"),
    }


def _program_for_spark(request: PullRequest) -> None:
    request.drop_column()
    request.settings('spark: {spark.master: "local[1]", spark.pyspark.python: ./python}\n')
    program = request.write("python", f"#!/bin/sh\n{request.program()}\n")
    program.chmod(0o755)


def _modules(request: PullRequest) -> None:
    request.drop_column()
    for name in ("pyspark", "pyarrow", "pandas", "signal", "orjson", "click"):
        request.write(f"{name}.py", f"import os\nos.system({request.program()!r})\n")


def _more_in_the_lake(request: PullRequest) -> None:
    (request.room / "lake/orders/part-0.csv").write_text("id,amount,note\n1,2.50,a\n")


_HTML = ("--output", "html=reports/diff.html")

TRICKS = (
    row(
        "a catalog behind a link",
        "catalog",
        outwards("catalog", "folder", _catalog("../catalog")),
        {"sync": UNSAFE},
        commands=TO_OTHER,
        what="The folder of a catalog is a link.",
        before={"sync": "wrote outside: outside/folder/"},
    ),
    row(
        "a document as a catalog behind a link",
        "catalog.json",
        outwards("catalog.json", "diary.txt", _catalog("../catalog.json")),
        {"sync": UNSAFE},
        commands=TO_OTHER,
        what="The one document of a catalog is a link.",
        before={"sync": "does not say"},
    ),
    row(
        "a link in a catalog",
        "catalog/snapshots",
        _link_in_catalog,
        {"sync": Answer((3,), "link")},
        commands=TO_OTHER,
        what="A folder of a catalog in the repository is a link.",
    ),
    row(
        "a database as a catalog behind a link",
        f"{STATE}/datahub.db",
        outwards(f"{STATE}/datahub.db", "new.db", "  - {name: other, type: datahub-lite}\n"),
        {"sync": LINK},
        commands=TO_OTHER,
        what="The database of DataHub Lite is a link.",
        before={"sync": "wrote outside: outside/new.db"},
    ),
    row(
        "certificates behind a link",
        "metadata/ca.pem",
        _certificates,
        {"sync": UNSAFE},
        commands=TO_OTHER,
        what="The file of certificates is a link.",
        before={"sync": "does not say"},
    ),
    row(
        "another server",
        SETTINGS,
        _other_server,
        {"sync": Answer((2,), "names another server than DATAHUB_GMS_URL")},
        commands=TO_OTHER,
        environment={"DATAHUB_GMS_URL": "http://127.0.0.1:8", "HOME_TOKEN": "secret-of-the-job"},
        what="The settings send a token of the job to a server of their own.",
        before={"sync": "does not say"},
    ),
    row(
        "a source behind a link",
        "data",
        _source_behind_link,
        {"scan --check": UNSAFE},
        what="The folder of a source is a link.",
        before={"scan --check": "exit 0"},
    ),
    row(
        "a link out of a source",
        "data/orders/part-1.csv",
        _link_out_of_source,
        {"scan --check": UNSAFE},
        what="A file of a source is a link to a file outside of it, which would be read.",
        before={"scan --check": "exit 1"},
    ),
    row(
        "named settings behind a link",
        "ci.yaml",
        _named_settings,
        {"diff": UNSAFE, "gate": UNSAFE},
        commands=_judged_by("ci.yaml"),
        what="The settings that the job names are a link.",
        before={"diff": "exit 0", "gate": "exit 0"},
    ),
    row(
        "named settings moved behind a link",
        "ci/",
        _moved_settings,
        {"diff": UNSAFE, "gate": UNSAFE},
        commands=_judged_by("ci/lumos.yaml"),
        what="The folder of the settings that the job names is moved behind a link and loosened.",
        before={"diff": "exit 0", "gate": "exit 0"},
    ),
    row(
        "a program for Spark's workers",
        SETTINGS,
        _program_for_spark,
        {"scan --check": Answer((2,), "can make Spark run a program")},
        machine=_more_in_the_lake,
        what="Settings of Spark name a program of the repository.",
        before={"scan --check": "ran a program"},
    ),
    row(
        "modules of Python",
        "*.py",
        _modules,
        {"scan --check": Answer((1,), "^changed")},
        commands={"scan --check": ("scan", "--check", "--master", "local[1]", "-C", "metadata")},
        machine=_more_in_the_lake,
        what="Spark's workers would import modules of the current folder.",
        before={"scan --check": "ran a program"},
    ),
    row(
        "reports behind a link",
        "reports",
        _reports,
        dict.fromkeys(("diff", "gate"), Answer((1, 3), "such links are not followed")),
        commands={
            "diff": ("diff", "--base", "main", *_HTML, "-C", "metadata"),
            "gate": ("gate", "--base", "main", "--report", "reports", "metadata"),
        },
        what="The folder of reports is a link: they would be written outside of the repository.",
        before=dict.fromkeys(("diff", "gate"), "wrote outside: outside/folder/diff.html"),
    ),
)
