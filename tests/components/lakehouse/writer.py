"""Write the tables of an engine and ask it about each: runs in an environment with that engine.

`python -m tests.components.lakehouse.writer ENGINE FOLDER [TABLE …]` writes the tables below the
folder, and what the engine says of them as JSON to standard output.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from tests.components.lakehouse import script
from tests.components.lakehouse.dialects import DIALECTS, Dialect

HERE = Path(__file__).parent
_LEAN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def session(dialect: Dialect, folder: Path, jars: Path) -> SparkSession:
    """A session with the engine's extension and catalogs."""
    builder = SparkSession.builder.master("local[2]")
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": f"{_LEAN} -Dderby.system.home={folder}",
        "spark.jars": ",".join(str(one) for one in sorted(jars.glob("*.jar"))),
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.codegen.wholeStage": "false",  # to compile takes longer than to run
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": str(folder),
        **dialect.settings(folder),
    }
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def make(spark: SparkSession, dialect: Dialect, table: script.Table) -> dict[str, Any]:
    """Make one table, and return what the engine says of it."""
    before = {name: spark.conf.get(name, None) for name in table.settings}
    try:
        if table.function:
            dialect.functions[table.function](spark, table.name)
        for statement in table.written(Words(dialect, table.name)):
            spark.sql(statement).collect()
        return dialect.ask(spark, table)
    finally:
        for name, value in before.items():
            spark.conf.unset(name) if value is None else spark.conf.set(name, value)


class Words(dict[str, str]):
    """What stands for the names in braces."""

    def __init__(self, dialect: Dialect, name: str) -> None:
        catalog, called = dialect.called(name)
        super().__init__(t=f"{catalog}.{called}", catalog=catalog)
        self.dialect = dialect

    def get(self, name: str, default: Any = None) -> Any:
        """One of its own words, or the full name of another table."""
        return super().get(name) or ".".join(self.dialect.called(name))


def main(words: Sequence[str]) -> int:
    """Write all tables, or those that are named; 1 where one could not be made."""
    engine, folder, jars, *wanted = words
    dialect = DIALECTS[engine]
    tables = [
        one for one in script.read(HERE / f"{engine}.sql") if not wanted or one.name in wanted
    ]
    spark = session(dialect, Path(folder), Path(jars))
    spark.sparkContext.setLogLevel("ERROR")
    said: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for table in tables:
        began = time.monotonic()
        try:
            said[table.name] = make(spark, dialect, table)
        except Exception as exc:  # noqa: BLE001 - whatever an engine raises is its answer
            failed[table.name] = " ".join(str(exc).split())[:400]
        sys.stderr.write(f"{table.name}: {time.monotonic() - began:.1f} s\n")
    spark.stop()
    (Path(folder) / "said.json").write_text(json.dumps({"tables": said, "failed": failed}))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
