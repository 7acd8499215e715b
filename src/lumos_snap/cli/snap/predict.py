"""`lumos snap predict`."""

from pathlib import Path

import click

from lumos_snap.cli import options
from lumos_snap.cli.app import command
from lumos_snap.commands.predict import predict as predict_dataset
from lumos_snap.render import history_text
from lumos_snap.rules.finding import FailOn


@command(
    "lumos snap predict user_clicks schema.json",
    "lumos snap predict user_clicks fields.json --fail-on non-breaking",
    "my-generator | lumos snap predict user_clicks - --json",
)
@click.argument("dataset")
@click.argument("schema", type=click.Path(path_type=Path), metavar="SCHEMA.json")
@options.fail_on
@options.folder
@options.as_json
def predict(
    dataset: str, schema: Path, *, fail_on: FailOn | None, folder: Path, as_json: bool
) -> int:
    """Judge a proposed schema of a DATASET before anything is written.

    SCHEMA.json is a snapshot, a schema section (`{"fields": […]}`) or a list of fields, or `-` for
    standard input. A field's type may be written short, as in `DECIMAL(12,2) NOT NULL`. What a
    schema does not say stays as it is.

    Exit 0 if nothing fails, 1 if something does, 2 if the schema cannot be understood.
    """
    report = predict_dataset(
        options.tree(folder),
        dataset,
        options.document(schema),
        fail_on=fail_on,
        today=options.today(),
    )
    options.emit(report, history_text.prediction(report), as_json=as_json)
    return options.verdict(failed=report.verdict == "fail")
