"""Laws of what is said of text: order does not matter, and more rows only widen types."""

import json
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lumos_snap.model.type_syntax import format_type
from lumos_snap.model.types import DataType
from lumos_snap.scan.formats.csv import schema as csv_schema
from lumos_snap.scan.formats.csv import value_kinds
from lumos_snap.scan.formats.json import schema as json_schema
from lumos_snap.scan.formats.json.shape import KINDS
from tests.scan.formats.text_descriptions import ask, described, probed

CELLS = {
    value_kinds.BLANK: "",
    value_kinds.INT: "12",
    value_kinds.BIG: "9" * 20,
    value_kinds.HUGE: "9" * 40,
    value_kinds.PADDED: "007",
    value_kinds.FLOAT: "1.5",
    value_kinds.COMMA: '"1,5"',
    value_kinds.NAN: "NaN",
    value_kinds.BOOL: "true",
    value_kinds.DATE: "2024-01-31",
    value_kinds.TIMESTAMP: "2024-01-31 10:00:00",
    value_kinds.TIMESTAMP_NS: "2024-01-31 10:00:00.123456789",
    value_kinds.INSTANT: "2024-01-31T10:00:00Z",
    value_kinds.INSTANT_NS: "2024-01-31T10:00:00.123456789Z",
    value_kinds.MISSING: "NULL",
    value_kinds.TEXT: "words",
}
KIND_SETS = st.frozensets(st.sampled_from(sorted(CELLS)))
ORDER = ["NULL", "INT64", "DECIMAL(38,0)", "FLOAT64", "STRING"]
WIDENS = {
    **{name: frozenset(ORDER[i:]) for i, name in enumerate(ORDER)},
    "BOOLEAN": {"STRING"},
    "DATE": {"TIMESTAMP(us)", "TIMESTAMP(ns)", "STRING"},
    "TIMESTAMP(us)": {"TIMESTAMP(ns)", "STRING"},
    "TIMESTAMP(ns)": {"STRING"},
    "TIMESTAMP(us, UTC)": {"TIMESTAMP(ns, UTC)", "STRING"},
    "TIMESTAMP(ns, UTC)": {"STRING"},
}


def csv_type(kinds: frozenset[str]) -> str:
    return format_type(
        DataType(**csv_schema.infer_column_type(list(value_kinds.summarize_kinds(kinds))))
    )


def equals_or_widens(wide: str, narrow: str) -> bool:
    return narrow in ("NULL", wide) or wide in WIDENS[narrow]


def test_every_kind_of_cell_is_known() -> None:
    named = {v for k, v in vars(value_kinds).items() if k.isupper() and isinstance(v, str)}
    assert set(CELLS) == named
    assert {value_kinds.kind_of(cell.strip('"')) for cell in CELLS.values()} == named


@given(KIND_SETS, KIND_SETS)
def test_more_kinds_only_widen_the_type_of_a_csv_column(
    some: frozenset[str], others: frozenset[str]
) -> None:
    assert equals_or_widens(csv_type(some | others), csv_type(some))


@given(KIND_SETS, KIND_SETS)
def test_what_a_summary_leaves_out_does_not_matter(
    some: frozenset[str], others: frozenset[str]
) -> None:
    summed = frozenset((*value_kinds.summarize_kinds(some), *value_kinds.summarize_kinds(others)))
    assert value_kinds.summarize_kinds(summed) == value_kinds.summarize_kinds(some | others)
    assert csv_type(some) == format_type(DataType(**csv_schema.infer_column_type(list(some))))


ROWS = st.lists(
    st.tuples(st.sampled_from(sorted(CELLS.values())), st.sampled_from(sorted(CELLS.values()))),
    max_size=6,
)


def table(rows: list[tuple[str, str]]) -> str:
    # The first row proves that there is a header, so that the law is about types alone.
    lines = ("1,{},{}\n".format(*row) for row in rows)
    return "id,first,second\n" + "1,,\n1,,\n" + "".join(lines)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_csv_rows_does_not_matter(
    rows: list[tuple[str, str]], rng: random.Random
) -> None:
    mixed = rng.sample(rows, len(rows))
    assert probed(table(rows), "csv") == probed(table(mixed), "csv")


@given(ROWS, ROWS)
def test_more_csv_rows_only_widen_types(
    some: list[tuple[str, str]], others: list[tuple[str, str]]
) -> None:
    both = ask(table(some + others), "csv").columns
    for part in (some, others):
        for (_, wide), (_, narrow) in zip(both, ask(table(part), "csv").columns, strict=True):
            assert equals_or_widens(wide, narrow)


SCALARS = st.sampled_from([None, True, 1, 2**70, 10**40, 1.5, float("nan"), "x"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
RECORDS = st.lists(
    st.dictionaries(st.sampled_from("abc"), VALUES, min_size=1, max_size=3), min_size=1, max_size=5
)


def lines(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def unordered(shape: object) -> object:
    if isinstance(shape, dict):
        return {key: unordered(value) for key, value in sorted(shape.items())}
    return shape


@given(RECORDS, st.randoms(use_true_random=False))
def test_the_order_of_json_records_matters_only_to_the_order_of_columns(
    records: list[dict[str, object]], rng: random.Random
) -> None:
    mixed = rng.sample(records, len(records))
    first, second = (json.loads(probed(lines(one), "json").schema) for one in (records, mixed))
    assert unordered(first) == unordered(second)


@given(RECORDS, RECORDS)
@settings(max_examples=300)
def test_more_json_records_only_widen_types(
    some: list[dict[str, object]], others: list[dict[str, object]]
) -> None:
    wide = _struct(some + others)
    for part in (some, others):
        _require_widened(wide, _struct(part))


def _struct(records: list[dict[str, object]]) -> dict[str, DataType]:
    return {field.name: field for field in described(probed(lines(records), "json")).schema.fields}


def _require_widened(wide: dict[str, DataType], narrow: dict[str, DataType]) -> None:
    assert wide.keys() >= narrow.keys()
    for name, before in narrow.items():
        after = wide[name]
        if after.type == "JSON" or before.type == "NULL":
            continue
        if before.type == "STRUCT":
            assert after.type == "STRUCT"
            members = ({one.name: one for one in side.fields} for side in (after, before))
            _require_widened(*members)  # type: ignore[arg-type] # one of each
        elif before.type == "ARRAY":
            assert after.element is not None
            assert before.element is not None
            _require_widened({"": after.element}, {"": before.element})
        else:
            assert equals_or_widens(format_type(after), format_type(before))


@pytest.mark.parametrize("kind", sorted(set(KINDS.values()) - {"null", "array", "object"}))
def test_every_kind_of_json_value_has_a_type(kind: str) -> None:
    shape = {"kinds": ["object"], "fields": {"a": {"kinds": [kind]}}}
    said = json_schema.schema_of({"layout": "lines", "shape": shape, "flags": []})
    assert said.schema.fields[0].type not in ("NULL", "JSON", "UNKNOWN")


@given(st.lists(st.integers(-(2**70), 2**70), min_size=1), st.sampled_from("\t;|"))
def test_integers_of_any_length_keep_their_digits(numbers: list[int], delimiter: str) -> None:
    rows = "".join(f"x{delimiter}{n}\n" for n in numbers)
    fits = all(-(2**63) <= n < 2**63 for n in numbers)
    answer = ask(f"k{delimiter}n\n{rows}", "csv")
    assert answer.types["n"] == ("INT64" if fits else "DECIMAL(38,0)")
    as_json = ask("".join(f'{{"n":{n}}}\n' for n in numbers)).types["n"]
    assert as_json == answer.types["n"]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0\x7f"), min_size=1)))
def test_names_survive_as_they_are(names: list[str]) -> None:
    record = {name: 1 for name in names if name.strip()}
    assume(record)
    text = json.dumps(record, ensure_ascii=False)
    assert [name for name, _ in ask(text, "json").columns] == list(record)
