"""Sample types and the values at their boundaries: what the witnesses store and read back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from tests.engines.values import DAY, Value, clock, instant, local, months, span, value

SECOND = 10**9
NOON = 20_649 * DAY + 45_296 * SECOND  # 2026-07-15 12:34:56
LAST = 2_932_897 * DAY  # the end of the year 9999


@dataclass(frozen=True, slots=True)
class Sample:
    """A type, and values of it; the first are the ones that are lost most easily."""

    name: str
    type: Mapping[str, Any]
    values: tuple[Value, ...]


def _sample(name: str, raw: Sequence[Any], kind: str | None = None, **parameters: Any) -> Sample:
    return Sample(name, {"type": kind or name, **parameters}, tuple(map(value, raw)))


def _integer(name: str, low: int, high: int, *more: int) -> Sample:
    return _sample(name, [high, low, *more, 1])


def _decimal(precision: int, scale: int) -> Sample:
    most = Decimal((0, (9,) * precision, -scale))
    least = Decimal((0, (1,), -scale))
    raw = [most, most.copy_negate(), least, Decimal(0)]
    name = f"DECIMAL({precision},{scale})"
    return _sample(name, raw, "DECIMAL", precision=precision, scale=scale)


def _times(unit: str, step: int) -> Sample:
    raw = [clock(45_296 * SECOND + 789 * 10**6 + step), clock(DAY - step), clock(0)]
    return _sample(f"TIME({unit})", raw, "TIME", unit=unit)


def _timestamps(unit: str, step: int, zone: str | None) -> Sample:
    moment = local if zone is None else instant
    at = [NOON + 789 * 10**6 + step, -step, 0, *([] if unit == "ns" else [LAST - step])]
    name = f"TIMESTAMP({unit}{',UTC' if zone else ''})"
    more = {"timezone": zone} if zone else {}
    return _sample(name, [moment(one) for one in at], "TIMESTAMP", unit=unit, **more)


def _intervals(unit: str, raw: Sequence[Value]) -> Sample:
    return _sample(f"INTERVAL({unit})", raw, "INTERVAL", unit=unit)


MS, US = 10**6, 1000
TEXTS = ["é", "007", "1.50", "true", "2026-01-15", "12:30:00", "2026-01-15 00:00:00Z", ""]
DATES = [date(1969, 12, 31), date(2026, 7, 15), date(9999, 12, 31), date(1, 1, 1)]

_ALL = (
    _sample("BOOLEAN", [True, False]),
    _integer("INT8", -(2**7), 2**7 - 1),
    _integer("INT16", -(2**15), 2**15 - 1),
    _integer("INT32", -(2**31), 2**31 - 1, 2**24 + 1),
    _integer("INT64", -(2**63), 2**63 - 1, 2**53 + 1),
    _integer("UINT8", 0, 2**8 - 1),
    _integer("UINT16", 0, 2**16 - 1),
    _integer("UINT32", 0, 2**32 - 1),
    _integer("UINT64", 0, 2**64 - 1, 2**53 + 1),
    _sample("FLOAT16", [65504.0, 0.0999755859375, -1.0]),
    _sample("FLOAT32", [3.4028234663852886e38, 0.10000000149011612, 16777216.0]),
    _sample("FLOAT64", [1e300, 0.1, -1.0]),
    *(
        _decimal(*pair)
        for pair in (
            (5, 0), (9, 0), (9, 2), (10, 0), (10, 2), (10, 4), (12, 2), (12, 4), (15, 2),
            (19, 0), (20, 0), (22, 2), (38, 0), (38, 10),
        )
    ),
    _sample("STRING", TEXTS),
    _sample("CHAR(5)", ["é    ", "00007", "true "], "CHAR", length=5),
    _sample("CHAR(8)", ["é       ", "00000007"], "CHAR", length=8),
    _sample("VARCHAR(20)", TEXTS, "VARCHAR", length=20),
    _sample("VARCHAR(24)", TEXTS, "VARCHAR", length=24),
    _sample("BINARY", [b"\xff", b"007", b"true", b"", b"\x00" * 20]),
    _sample("FIXED(4)", [b"\xff\xfe\xfd\xfc", b"0007"], "FIXED", length=4),
    _sample("FIXED(16)", [b"\xff" * 16, b"0123456789abcdef"], "FIXED", length=16),
    _sample("UUID", [b"\xff" * 16, bytes(range(16))]),
    _sample("DATE", DATES),
    _times("ms", MS),
    _times("us", US),
    _times("ns", 1),
    _timestamps("ms", MS, None),
    _timestamps("us", US, None),
    _timestamps("ns", 1, None),
    _timestamps("ms", MS, "UTC"),
    _timestamps("us", US, "UTC"),
    _timestamps("ns", 1, "UTC"),
    _intervals("year-month", [months(14), months(-1)]),
    _intervals("day-time", [span(90_061 * SECOND + US), span(-US), span(US)]),
    _intervals("ms", [span(90_061 * SECOND + MS), span(-MS), span(400 * 365 * DAY)]),
    _intervals("us", [span(90_061 * SECOND + US), span(-US), span(US), span(400 * 365 * DAY)]),
    _intervals("ns", [span(90_061 * SECOND + 1), span(-1), span(1)]),
    _sample("ENUM", TEXTS, symbols=TEXTS),
    _sample("JSON", TEXTS),
    _sample("NULL", [None, None]),
    _sample("ARRAY", [[1, 2], []], element={"type": "INT32"}),
    _sample("MAP", [{"a": 1}, {}], key={"type": "STRING"}, value={"type": "INT32"}),
    _sample("STRUCT", [[1], [2]], fields=[{"name": "a", "type": "INT32"}]),
)  # fmt: skip

SAMPLES: Mapping[str, Sample] = {sample.name: sample for sample in _ALL}


def without(*names: str) -> tuple[Sample, ...]:
    """The samples, except those that an engine cannot store."""
    return tuple(sample for name, sample in SAMPLES.items() if name not in names)
