"""Why a file belongs where it belongs, in words."""

from lumos_snap.commands.scan.explain import explain_path
from lumos_snap.scan.grouping.assign import Layout
from lumos_snap.scan.grouping.templates import parse_template


def _told(path: str, layout: Layout) -> list[tuple[str, str | None, tuple[str, ...], str]]:
    return [(step.text, step.name, step.columns, step.why) for step in explain_path(path, layout)]


def test_each_segment_and_the_file_are_explained() -> None:
    date = "A date without a key is a partition, over as many folders as it is written in."
    assert _told("raw/2024/01/dt=/clicks_1.csv", Layout()) == [
        ("raw", "raw", (), "A folder that is no partition is part of the dataset's name."),
        ("2024", None, ("month",), date),
        ("01", None, ("month",), date),
        ("dt=", None, ("dt",), "`key=value` is a partition, here without a value."),
        ("clicks_1.csv", "clicks", (),
         "The file name has a name of its own, which is a dataset in the folder."),
    ]  # fmt: skip


def test_a_template_is_explained() -> None:
    layout = Layout(templates=(parse_template("/raw/{dataset}/{region}/"),))
    assert _told("raw/orders/eu/x/part-0", layout) == [
        ("raw", "raw", (), "The template has it above `{dataset}`, so it is part of the name."),
        ("orders", "orders", (), "`{dataset}` of the template stands here."),
        ("eu", None, ("region",), "The template has a partition column here."),
        ("x", None, (), "It lies below `{dataset}` and belongs to it."),
        ("part-0", None, (), "It lies below `{dataset}` and belongs to it."),
    ]


def test_a_file_that_no_template_matches_says_so() -> None:
    layout = Layout(templates=(parse_template("/raw/{dataset}/"),))
    (*_, last) = _told("other/part-0", layout)
    assert last[3].startswith("No template of the source matches. The file name only numbers")


def test_where_files_are_datasets_every_segment_is_a_name() -> None:
    assert [(text, name) for text, name, *_ in _told("2024//a.csv", Layout(grouping="file"))] == [
        ("2024", "2024"),
        ("", None),
        ("a.csv", "a"),
    ]
