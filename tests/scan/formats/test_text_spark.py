"""What Spark writes, and whether it reads back what is said of its files."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.scan.formats.text_descriptions import Answer, ask

pytestmark = pytest.mark.slow

QUERY = """
select id, concat('say "', id, '", so') as words, id / 4 as ratio, id % 2 = 0 as flag,
       date '2024-02-29' as day, timestamp_ntz '2024-02-29 10:00:00.123' as local,
       timestamp '2024-02-29 10:00:00' as at, cast(null as string) as nothing
from range(1, 50)
"""
EXPECTED = {
    "id": "INT64",
    "words": "STRING",
    "ratio": "FLOAT64",
    "flag": "BOOLEAN",
    "day": "DATE",
    "local": "TIMESTAMP(us)",
    "at": "TIMESTAMP(us, UTC)",
    "nothing": "NULL",
}
SUFFIXES = {
    "none": "",
    "gzip": ".gz",
    "bzip2": ".bz2",
    "deflate": ".deflate",
    "snappy": ".snappy",
    "lz4": ".lz4",
}


def only_file(folder: Path) -> bytes:
    (path,) = (one for one in folder.iterdir() if one.name.startswith("part-"))
    return path.read_bytes()


@pytest.mark.parametrize("codec", SUFFIXES)
def test_csv_of_spark_in_every_codec(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    frame = spark.sql(QUERY).coalesce(1).write.option("compression", codec)
    frame.csv(str(tmp_path / "out"), header=True)
    answer = ask(only_file(tmp_path / "out"), "csv", SUFFIXES[codec])
    assert answer.types == EXPECTED
    assert answer.options == {"delimiter": ",", "header": "true", "escape": "\\"}
    assert answer.rows == 49
    assert len(answer.codecs) == (codec != "none")


@pytest.mark.parametrize("codec", SUFFIXES)
def test_json_of_spark_in_every_codec(spark: SparkSession, tmp_path: Path, codec: str) -> None:
    frame = spark.sql("select id, array(id) as ids, struct(id, 'x' as s) as st from range(9)")
    frame.coalesce(1).write.option("compression", codec).json(str(tmp_path / "out"))
    answer = ask(only_file(tmp_path / "out"), "json", SUFFIXES[codec])
    assert answer.columns == [
        ("id", "INT64"),
        ("ids", "ARRAY<INT64>"),
        ("st", "STRUCT<id: INT64, s: STRING>"),
    ]
    assert answer.rows == 9


READ_BACK = [
    "id;words\n1;a, b\n2;c\n",
    "'id','words'\n'1','a, b'\n'2','c'\n",
    'id|words\n1|"say ""x"""\n2|c\n',
    'id,words\n1,"say \\"x\\", so"\n2,c\n',
    "# note\nid\twords\n1\ta\n2\tb\n",
    "1,a b c\n2,c\n",
    "1\x01a\n2\x01b\n",
]


@pytest.mark.parametrize("text", READ_BACK)
def test_spark_reads_what_the_options_say(spark: SparkSession, tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    answer = ask(text, "csv")
    found = read_by_spark(spark, path, answer)
    assert [name for name, _ in answer.columns] == found[0]
    assert (len(found) - 1, answer.columns[0][1]) == (2, "INT64")
    assert [row[0] for row in found[1:]] == [1, 2]


def read_by_spark(spark: SparkSession, path: Path, answer: Answer) -> list[list[object]]:
    options = dict(answer.options)
    # Spark escapes by a backslash unless told otherwise; everyone else doubles.
    options.setdefault("escape", options.get("quote", '"'))
    frame = spark.read.options(**options, inferSchema="true").csv(str(path))
    return [list(frame.columns), *(list(row) for row in frame.collect())]
