"""`lumos snap bump` and `version`."""

import functools
from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.bump.apply import BumpOptions, release
from lumos_snap.commands.version import version as version_of
from lumos_snap.render import key_values, release_text

_no_fetch = options.no_fetch_but(
    "Ask no remote, but to push: a shallow clone without the last release is an error."
)


@command(
    "lumos snap bump --dry-run --explain",
    "lumos snap bump --commit --tag",
    "lumos snap bump --push --json",
    "lumos snap bump --push --env",
    "lumos snap bump --since v1.4 --dry-run",
    "lumos snap bump --push --message 'Release {cloudVersion} [skip ci]'",
)
@click.option(
    "--since",
    metavar="REF",
    help="Count changes from this tag or commit, if no release is later; `none` for an empty tree.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be released, and write nothing.")
@click.option("--commit", is_flag=True, help="Commit the files that the release writes.")
@click.option("--tag", is_flag=True, help="Tag the commit; commits too.")
@click.option("--push", is_flag=True, help="Push commit and tag together; commits and tags too.")
@click.option("--explain", is_flag=True, help="Name the change that decides each version.")
@click.option(
    "--message",
    "subject",
    default="",
    metavar="TEXT",
    help="The first line of the commit and the tag; {cloudVersion}, {schemaVersion}, {gitTag} and "
    "{bump} stand for the release's own.",
)
@click.option("--env", "as_env", is_flag=True, help="Print key=value lines, for pipelines.")
@_no_fetch
@options.folder
@options.limit
@options.as_json
def bump(
    since: str | None,
    *,
    dry_run: bool,
    commit: bool,
    tag: bool,
    push: bool,
    explain: bool,
    subject: str,
    as_env: bool,
    fetch: bool,
    folder: Path,
    limit: int,
    as_json: bool,
) -> int:
    """Give new versions to all datasets that changed since the last release.

    What is committed is released: the changes between the last release and HEAD decide the step
    of each dataset, by the policy in lumos.yaml; waivers play no part. Versions start at 1.0.0,
    whatever the lifecycle. All datasets of a release share its cloud version, such as S-13.

    Safe to repeat: what is done already is not done again, and what an interrupted run has left
    is finished. Nothing is ever forced: where the remote has moved on, the release starts over.

    Exit 0, 1 if a document is invalid, 3 if the base cannot be read or the remote refuses.
    """
    asked = BumpOptions(
        since=since, dry_run=dry_run, commit=commit or tag or push, tag=tag or push, push=push,
        subject=subject, fetch=fetch,
    )  # fmt: skip
    done = release(functools.partial(options.tree, folder), asked, options.announce)
    text = release_text.release(done.report, done.steps, limit=limit, explain=explain)
    lines = key_values.release(done.report) if as_env else text
    options.emit(done.report, lines, as_json=as_json)
    return 0


@command(
    "lumos snap version user_clicks",
    "lumos snap version s3/lake/raw/events/user_clicks --history",
    "lumos snap version user_clicks --at S-12 --json",
)
@click.argument("dataset")
@click.option("--history", is_flag=True, help="Show every release in which it changed.")
@options.at("Say its version as it was at a branch, tag or commit.")
@_no_fetch
@options.folder
@options.as_json
def version(
    dataset: str, *, history: bool, ref: str | None, fetch: bool, folder: Path, as_json: bool
) -> int:
    """Say the version of a DATASET, and whether it has changed since it was released.

    DATASET is a urn, a path in the tree, or the end of either that only it has.
    """
    tree = options.tree(folder, ref)
    report = version_of(tree, dataset, history=history, fetch=fetch, announce=options.announce)
    options.emit(report, release_text.version(report), as_json=as_json)
    return 0
