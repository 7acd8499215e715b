"""Every layout that lists and maps have had, by the rules of Parquet's own specification."""

from typing import NamedTuple

from tests.scan.formats.parquet.footers import (
    BYTES,
    EMPTY,
    INT32,
    LIST,
    MAP,
    MAP_KEY_VALUE,
    OPTIONAL,
    REPEATED,
    REQUIRED,
    UTF8,
    Column,
    group,
    leaf,
)


class Layout(NamedTuple):
    """Columns, what they are to us, and whether Spark and Arrow read them likewise."""

    name: str
    column: Column
    expected: str
    spark: str | None
    arrow: bool = True
    note: str = ""


def text(name: str, repetition: int = OPTIONAL) -> Column:
    return leaf(name, BYTES, repetition, converted=UTF8)


def pair(name: str, *held: Column, converted: int | None = None) -> Column:
    return group(name, *held, repetition=REPEATED, converted=converted)


def listed(*held: Column, converted: int = LIST, repetition: int = OPTIONAL) -> Column:
    return group("c", *held, converted=converted, repetition=repetition)


LAYOUTS = (
    Layout("three levels", listed(pair("list", text("element"))), "ARRAY<STRING>", "array<string>"),
    Layout(
        "three levels, as new files say it",
        group("c", pair("list", text("element")), logical={3: EMPTY}),
        "ARRAY<STRING>",
        "array<string>",
    ),
    Layout(
        "three levels, elements required",
        listed(pair("list", text("element", REQUIRED)), repetition=REQUIRED),
        "ARRAY<STRING NOT NULL> NOT NULL",
        "array<string>",
    ),
    Layout("Hive's bag", listed(pair("bag", leaf("array_element"))), "ARRAY<INT32>", "array<int>"),
    Layout(
        "two levels, a plain element",
        listed(leaf("element", INT32, REPEATED)),
        "ARRAY<INT32 NOT NULL>",
        "array<int>",
    ),
    Layout(
        "two levels, an element of several members",
        listed(pair("element", text("str", REQUIRED), leaf("num", INT32, REQUIRED))),
        "ARRAY<STRUCT<str: STRING NOT NULL, num: INT32 NOT NULL> NOT NULL>",
        "array<struct<str:string,num:int>>",
    ),
    Layout(
        "Avro's array of one member",
        listed(pair("array", text("str", REQUIRED))),
        "ARRAY<STRUCT<str: STRING NOT NULL> NOT NULL>",
        "array<struct<str:string>>",
    ),
    Layout(
        "Thrift's tuple of one member",
        listed(pair("c_tuple", text("str", REQUIRED))),
        "ARRAY<STRUCT<str: STRING NOT NULL> NOT NULL>",
        "array<struct<str:string>>",
    ),
    Layout(
        "another's tuple is only a wrapper",
        listed(pair("d_tuple", text("str", REQUIRED))),
        "ARRAY<STRING NOT NULL>",
        "array<string>",
    ),
    Layout(
        "two levels, a list in a list",
        listed(pair("array", leaf("array", INT32, REPEATED), converted=LIST)),
        "ARRAY<ARRAY<INT32 NOT NULL> NOT NULL>",
        "array<array<int>>",
    ),
    Layout(
        "what repeats in a wrapper is no wrapper's",
        listed(pair("element", leaf("items", INT32, REPEATED))),
        "ARRAY<STRUCT<items: ARRAY<INT32 NOT NULL> NOT NULL> NOT NULL>",
        None,  # Spark takes the wrapper away, against the specification
        arrow=False,
    ),
    Layout(
        "repeated without a list",
        leaf("c", INT32, REPEATED),
        "ARRAY<INT32 NOT NULL> NOT NULL",
        "array<int>",
    ),
    Layout(
        "a repeated group without a list, as of Protocol Buffers",
        group("c", text("a"), leaf("b"), repetition=REPEATED),
        "ARRAY<STRUCT<a: STRING, b: INT32> NOT NULL> NOT NULL",
        "array<struct<a:string,b:int>>",
    ),
    Layout(
        "a map",
        listed(pair("key_value", text("key", REQUIRED), leaf("value")), converted=MAP),
        "MAP<STRING, INT32>",
        "map<string,int>",
    ),
    Layout(
        "a map, as new files say it",
        group("c", pair("key_value", text("key", REQUIRED), leaf("value")), logical={2: EMPTY}),
        "MAP<STRING, INT32>",
        "map<string,int>",
    ),
    Layout(
        "a map of old files",
        listed(
            pair("map", text("str", REQUIRED), leaf("num", INT32, REQUIRED), converted=2),
            converted=MAP,
        ),
        "MAP<STRING, INT32 NOT NULL>",
        "map<string,int>",
    ),
    Layout(
        "a map that is called a pair",
        listed(pair("map", text("key", REQUIRED), leaf("value")), converted=MAP_KEY_VALUE),
        "MAP<STRING, INT32>",
        "map<string,int>",
    ),
    Layout(
        "a map with keys that may be null",
        listed(pair("map", text("key"), leaf("value"), converted=2), converted=MAP),
        "MAP<STRING, INT32>",
        "map<string,int>",
        arrow=False,  # it refuses the file
    ),
    Layout(
        "a set",
        listed(pair("key_value", text("key", REQUIRED)), converted=MAP),
        "ARRAY<STRING NOT NULL>",
        None,
        arrow=False,
        note="`c` has a map without values",
    ),
    Layout(
        "maps in a list in a struct",
        group(
            "c",
            group(
                "l",
                pair(
                    "list",
                    group(
                        "element",
                        pair("key_value", text("key", REQUIRED), leaf("value")),
                        converted=MAP,
                    ),
                ),
                converted=LIST,
            ),
        ),
        "STRUCT<l: ARRAY<MAP<STRING, INT32>>>",
        "struct<l:array<map<string,int>>>",
    ),
    Layout(
        "a map of what repeats",
        listed(
            pair("key_value", text("key", REQUIRED), leaf("value", INT32, REPEATED)), converted=MAP
        ),
        "MAP<STRING, ARRAY<INT32 NOT NULL> NOT NULL>",
        None,  # Spark takes one value, against the specification
    ),
    Layout(
        "a list that holds two columns",
        listed(text("a"), text("b")),
        "STRUCT<a: STRING, b: STRING>",
        None,
        arrow=False,
        note="`c` has an annotation that does not fit it",
    ),
    Layout(
        "a map that does not repeat",
        listed(text("key"), converted=MAP),
        "STRUCT<key: STRING>",
        None,
        arrow=False,
        note="`c` has an annotation that does not fit it",
    ),
    Layout(
        "a variant",
        group("c", leaf("metadata", BYTES, REQUIRED), leaf("value", BYTES), logical={16: EMPTY}),
        "VARIANT",
        None,
        arrow=False,
    ),
)
