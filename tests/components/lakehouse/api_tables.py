"""Tables that SQL cannot make: they are created through the API of their engine."""

from collections.abc import Callable, Mapping
from typing import Any

from pyspark.sql import SparkSession


def jvm(spark: SparkSession) -> Any:
    """The JVM of a session, whose classes are its attributes."""
    return spark._jvm


class Api:
    """Iceberg's classes, through the JVM of a session."""

    def __init__(self, spark: SparkSession) -> None:
        self.jvm = jvm(spark)
        self.gateway: Any = spark.sparkContext._gateway
        self.iceberg = self.jvm.org.apache.iceberg
        self.types = self.iceberg.types.Types
        self.session = spark._jsparkSession

    def schema(self, *fields: Any) -> Any:
        """A schema of some fields."""
        return self.iceberg.Schema(self._array(self.types.NestedField, fields))

    def optional(self, number: int, name: str, kind: Any, doc: str | None = None) -> Any:
        """A field that may be null."""
        return self.types.NestedField.optional(number, name, kind, doc)

    def required(self, number: int, name: str, kind: Any, doc: str | None = None) -> Any:
        """A field that is never null."""
        return self.types.NestedField.required(number, name, kind, doc)

    def struct(self, *fields: Any) -> Any:
        """A struct of some fields."""
        return self.types.StructType.of(self._array(self.types.NestedField, fields))

    def create(self, name: str, schema: Any, version: int) -> Any:
        """A table of the Hadoop catalog."""
        namespace, _, table = name.partition("/")
        util = self.iceberg.spark.Spark3Util
        catalog = util.loadIcebergCatalog(self.session, namespace)
        words = self._array(self.jvm.java.lang.String, (namespace, table))
        properties = self.jvm.java.util.HashMap()
        properties["format-version"] = str(version)
        spec = self.iceberg.PartitionSpec.unpartitioned()
        return catalog.createTable(
            self.iceberg.catalog.TableIdentifier.of(words), schema, spec, properties
        )

    def literal(self, value: Any) -> Any:
        """A value for a default."""
        return self.iceberg.expressions.Literal.of(value)

    def _array(self, kind: Any, values: Any) -> Any:
        made = self.gateway.new_array(kind, len(values))
        for number, value in enumerate(values):
            made[number] = value
        return made


def types(spark: SparkSession, name: str) -> None:
    """Types that Spark reads, but cannot make."""
    api = Api(spark)
    of = api.types
    kinds = (
        of.UUIDType.get(), of.FixedType.ofLength(4), of.TimestampType.withZone(),
        of.TimestampType.withoutZone(), of.BinaryType.get(), of.DecimalType.of(9, 0),
    )  # fmt: skip
    fields = [api.optional(number, f"c{number}", kind) for number, kind in enumerate(kinds, 1)]
    inside = api.struct(
        api.required(21, "key", of.UUIDType.get()),
        api.optional(22, "l", of.ListType.ofRequired(23, of.FixedType.ofLength(16))),
    )
    api.create(name, api.schema(*fields, api.optional(20, "s", inside)), 2)


def types_without_spark(spark: SparkSession, name: str) -> None:
    """Types that Spark cannot read: `time`, and most of those that came with version 3."""
    api = Api(spark)
    of = api.types
    kinds = (
        of.TimestampNanoType.withZone(), of.TimestampNanoType.withoutZone(), of.VariantType.get(),
        of.UnknownType.get(), of.GeometryType.crs84(), of.GeometryType.of("srid:3857"),
        of.GeographyType.crs84(), of.TimeType.get(),
    )  # fmt: skip
    fields = [api.optional(number, f"c{number}", kind) for number, kind in enumerate(kinds, 1)]
    api.create(name, api.schema(*fields), 3)


def required_inside(spark: SparkSession, name: str) -> None:
    """Elements and values that are never null: columns in SQL cannot say so."""
    api = Api(spark)
    of = api.types
    listed = of.ListType.ofRequired(2, of.IntegerType.get())
    mapped = of.MapType.ofRequired(4, 5, of.StringType.get(), of.LongType.get())
    loose = of.MapType.ofOptional(7, 8, of.StringType.get(), of.DateType.get())
    schema = api.schema(
        api.optional(1, "l", listed, "A list"),
        api.required(3, "m", mapped),
        api.optional(6, "n", loose),
    )
    api.create(name, schema, 2)


def defaults(spark: SparkSession, name: str) -> None:
    """Columns with defaults, which version 3 has."""
    api = Api(spark)
    of = api.types
    table = api.create(name, api.schema(api.required(1, "id", of.IntegerType.get())), 3)
    table.updateSchema().addColumn("n", of.IntegerType.get(), "A number", api.literal(7)).commit()
    table.updateSchema().updateColumnDefault("n", api.literal(11)).commit()
    table.updateSchema().addRequiredColumn(
        "t", of.StringType.get(), None, api.literal("x")
    ).commit()
    table.updateSchema().addColumn("f", of.BooleanType.get(), None, api.literal(True)).commit()


def generated(spark: SparkSession, name: str) -> None:
    """A Delta table with generated columns; it is partitioned by one of them."""
    made = _delta(spark, name)
    made.addColumn("id", "BIGINT").addColumn("at", "TIMESTAMP")
    for column, kind, expression in (
        ("day", "DATE", "CAST(at AS DATE)"),
        ("twice", "BIGINT", "id * 2"),
    ):
        made.addColumn(_column(spark, column, kind).generatedAlwaysAs(expression).build())
    gateway: Any = spark.sparkContext._gateway
    days = gateway.new_array(jvm(spark).java.lang.String, 1)
    days[0] = "day"
    made.partitionedBy(days).execute()


def identity(spark: SparkSession, name: str) -> None:
    """A Delta table whose columns count."""
    made = _delta(spark, name)
    made.addColumn(_column(spark, "id", "BIGINT").generatedAlwaysAsIdentity(10, 5).build())
    made.addColumn(_column(spark, "other", "BIGINT").generatedByDefaultAsIdentity().build())
    made.addColumn("text", "STRING").execute()


def _delta(spark: SparkSession, name: str) -> Any:
    return jvm(spark).io.delta.tables.DeltaTable.create(spark._jsparkSession).tableName(name)


def _column(spark: SparkSession, name: str, kind: str) -> Any:
    return (
        jvm(spark)
        .io.delta.tables.DeltaTable.columnBuilder(spark._jsparkSession, name)
        .dataType(kind)
    )


Functions = Mapping[str, Callable[[SparkSession, str], None]]

OF_DELTA: Functions = {one.__name__: one for one in (generated, identity)}
OF_ICEBERG: Functions = {
    one.__name__: one for one in (types, types_without_spark, required_inside, defaults)
}
