"""The rules that assign files to datasets, in one table for code, guide and output."""

from collections.abc import Mapping

_NO_TEMPLATE = "no-template/"

_DECIDING = {
    "generic-file": "The file name only numbers a part, so the folder is the dataset.",
    "folder-named-file": "The file name repeats the folder's name, so the folder is the dataset.",
    "own-named-file": "The file name has a name of its own, which is a dataset in the folder.",
    "root": "A file in the root whose name only numbers a part belongs to the source as a whole.",
    "nothing-in-common": "It shares hardly a column with the files beside it, or the tree knows it "
    "as a dataset of its own already; `grouping: folder` puts such files together.",
    "delta-table": "A Delta log makes the folder a table, whatever else lies there.",
    "iceberg-table": "Iceberg metadata makes the folder a table, whatever else lies there.",
    "hudi-table": "A Hudi timeline makes the folder a table, whatever else lies there.",
    "every-folder": "Every folder is a dataset, as the source is set.",
    "every-file": "Every file is a dataset, as the source is set.",
}

RULES: Mapping[str, str] = {
    **_DECIDING,
    "template": "A template of the source names the dataset.",
    **{
        f"{_NO_TEMPLATE}{name}": f"No template of the source matches. {sentence}"
        for name, sentence in _DECIDING.items()
    },
}
"""The rules by id, with a description each."""


def without_template(rule: str) -> str:
    """Return the rule with the prefix for templates that were tried first."""
    return f"{_NO_TEMPLATE}{rule}"
