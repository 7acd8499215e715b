"""Avro for Java as a witness, in the Java that Spark has started."""

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from py4j.java_gateway import get_method
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from lumos_snap.engines import ReadOutcome
from tests.engines.avro import schema
from tests.engines.matrix import Cell, judged, worst
from tests.engines.samples import Sample
from tests.engines.values import Value, clock, day, instant, local, value

_CONVERSIONS = (
    "Date", "TimeMillis", "TimeMicros", "TimestampMillis", "TimestampMicros", "TimestampNanos",
    "LocalTimestampMillis", "LocalTimestampMicros", "LocalTimestampNanos",
)  # fmt: skip


class JavaAvro:
    """Reads with `GenericDatumReader`, with every conversion that Avro brings."""

    def __init__(self, jvm: Any) -> None:
        self.jvm = jvm
        self.schemas: dict[str, Any] = {}
        self.data = jvm.org.apache.avro.generic.GenericData()
        for name in _CONVERSIONS:
            made = getattr(jvm.org.apache.avro.data, f"TimeConversions${name}Conversion")()
            self.data.addLogicalTypeConversion(made)
        for name in ("DecimalConversion", "UUIDConversion"):
            made = getattr(jvm.org.apache.avro, f"Conversions${name}")()
            self.data.addLogicalTypeConversion(made)

    def read(self, paths: Sequence[Path], old: Sample, new: Sample) -> Cell:
        """What becomes of each value of a sample, told another type: the worst of it."""
        told = self.schema(new)
        return worst(
            self._read(path, one, told, new) for path, one in zip(paths, old.values, strict=True)
        )

    def schema(self, sample: Sample) -> Any:
        """The schema of a sample, as Java has it."""
        if sample.name not in self.schemas:
            parser = getattr(self.jvm.org.apache.avro, "Schema$Parser")()
            self.schemas[sample.name] = parser.parse(json.dumps(schema(sample)))
        return self.schemas[sample.name]

    def field(self, path: Path, told: dict[str, object]) -> object:
        """The value of the one field that a reader is told of, or that it is refused."""
        parser = getattr(self.jvm.org.apache.avro, "Schema$Parser")()
        record = parser.parse(json.dumps({"type": "record", "name": "r", "fields": [told]}))
        try:
            return self._next(path, record).get(told["name"])
        except Py4JJavaError:
            return "refused"

    def _next(self, path: Path, told: Any) -> Any:
        generic = self.jvm.org.apache.avro.generic.GenericDatumReader(None, told, self.data)
        rows = self.jvm.org.apache.avro.file.DataFileReader(
            self.jvm.java.io.File(str(path)), generic
        )
        return get_method(rows, "next")()  # py4j's own `next` hides the reason of a failure

    def compatible(self, old: Sample, new: Sample) -> bool:
        """What `SchemaCompatibility` says, which schema registries go by."""
        check = self.jvm.org.apache.avro.SchemaCompatibility.checkReaderWriterCompatibility
        return str(check(self.schema(new), self.schema(old)).getType()) == "COMPATIBLE"

    def _read(self, path: Path, stored: Value, told: Any, new: Sample) -> Cell:
        try:
            return judged([stored], [self._value(self._next(path, told).get("c"), new)])
        except (Py4JJavaError, PySparkException) as refusal:
            return Cell(ReadOutcome.REFUSED, _reason(refusal))

    def _value(self, raw: Any, new: Sample) -> Value:
        if isinstance(raw, float) and new.name == "FLOAT32":
            return value(struct.unpack("f", struct.pack("f", raw))[0])
        if not hasattr(raw, "getClass"):
            return value(raw)
        name = str(raw.getClass().getSimpleName())
        if name == "LocalDateTime":
            raw, name = raw.toInstant(self.jvm.java.time.ZoneOffset.UTC), "LocalInstant"
        return _MEANT.get(name, lambda one: value(str(one)))(raw)


def _nanoseconds(moment: Any) -> int:
    seconds: int = moment.getEpochSecond()
    return seconds * 10**9 + int(moment.getNano())


_MEANT: Mapping[str, Callable[[Any], Value]] = {
    "Instant": lambda raw: instant(_nanoseconds(raw)),
    "LocalInstant": lambda raw: local(_nanoseconds(raw)),
    "LocalDate": lambda raw: day(raw.toEpochDay()),
    "LocalTime": lambda raw: clock(raw.toNanoOfDay()),
    "HeapByteBuffer": lambda raw: value(bytes(raw.array())),
    "Fixed": lambda raw: value(bytes(raw.bytes())),
    "UUID": lambda raw: value(UUID(str(raw))),
    "HashMap": lambda raw: value({str(key): raw[key] for key in raw}),
    "Record": lambda raw: value([raw.get("a")]),
    "Array": lambda raw: value(list(raw)),
}
"""What Avro's conversions return, by the simple name of its class."""


def _reason(refusal: Py4JJavaError | PySparkException) -> str:
    if isinstance(refusal, PySparkException):
        return str(refusal).partition("\n")[0]
    cause = refusal.java_exception
    return f"{cause.getClass().getSimpleName()}: {cause.getMessage()}"
