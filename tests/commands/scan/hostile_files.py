"""Files that no scan should fall over: each kind, numbered."""

import bz2
import gzip
import io
import lzma
import random
from collections.abc import Callable, Iterator

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather, orc

Made = Iterator[tuple[str, bytes]]

_TABLE = pa.table({"id": list(range(200)), "name": [f"n{n}" for n in range(200)]})
_AVRO = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}


def _buffer(write: Callable[[io.BytesIO], object]) -> bytes:
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


REAL = {
    "parquet": _buffer(lambda out: pq.write_table(_TABLE, out)),
    "orc": _buffer(lambda out: orc.write_table(_TABLE, out)),
    "avro": _buffer(lambda out: fastavro.writer(out, _AVRO, [{"id": n} for n in range(200)])),
    "arrow": _buffer(lambda out: feather.write_feather(_TABLE, out)),
}
_MAGIC = {"parquet": b"PAR1", "orc": b"ORC", "avro": b"Obj\x01", "arrow": b"ARROW1\0\0"}
_ZEROS = b"\0" * (64 << 20)


def hostile(seed: int) -> Made:
    """Files that say nothing of a schema, by name."""
    chance = random.Random(seed)
    yield from _noise(chance)
    yield from _cut(chance)
    yield from _bombs()


def _noise(chance: random.Random) -> Made:
    """Random bytes: under the name of a format, also with its sign at one end or both."""
    for number in range(160):
        ending = chance.choice(["parquet", "orc", "avro", "arrow", "csv", "json", "bin"])
        yield (
            f"noise_{_word(number)}.{ending}",
            b"\0\xff" + chance.randbytes(chance.randrange(1, 3000)),
        )
    for number in range(120):
        ending = chance.choice(list(_MAGIC))
        sign = _MAGIC[ending]
        body = chance.randbytes(chance.randrange(0, 3000))
        yield f"sign_{_word(number)}.{ending}", sign + body + (sign if number % 2 else b"")


def _cut(chance: random.Random) -> Made:
    """Real files that end too soon, or whose ends are not theirs."""
    for number in range(160):
        ending = chance.choice(["parquet", "orc", "arrow"])
        real = REAL[ending]
        at = chance.choice([0, 1, 4, 8, 12, len(real) - 1, len(real) - 4, len(real) - 8])
        yield (
            f"cut_{_word(number)}.{ending}",
            real[: chance.choice([at, chance.randrange(len(real))])],
        )
    header = REAL["avro"].index(b"avro.schema") + 20
    for number in range(30):
        yield f"head_{_word(number)}.avro", REAL["avro"][: chance.randrange(4, header)]
    for number in range(10):
        yield f"wrong_{_word(number)}.parquet", b"\x89PNG\r\n\x1a\n" + chance.randbytes(500)
        yield f"page_{_word(number)}.orc", b"<html><body>404</body></html>"


def _bombs() -> Made:
    yield "bomb_a.csv.gz", gzip.compress(_ZEROS)
    yield "bomb_b.csv.bz2", bz2.compress(_ZEROS)
    yield "bomb_c.json.xz", lzma.compress(_ZEROS)
    yield "deep_a.json", b"[" * 300_000
    yield "deep_b.json", b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    yield "empty_a.parquet", b""
    yield "empty_b.csv", b""
    length = (1 << 31) - 1
    yield "claim_a.parquet", b"PAR1" + b"\0" * 100 + length.to_bytes(4, "little") + b"PAR1"
    yield "claim_b.orc", b"ORC" + b"\0" * 100 + b"\xff"
    yield "claim_c.avro", b"Obj\x01" + b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"


def _word(number: int) -> str:
    """Letters: digits would make them parts of one dataset."""
    return "".join(chr(97 + int(digit)) for digit in f"{number:03d}")


def good() -> Made:
    """Fifty files that say what they are."""
    texts = {"csv": b"id,name\n1,a\n2,b\n", "jsonl": b'{"id": 1, "name": "a"}\n'}
    for number, ending in zip(range(50), [*REAL, *texts] * 9, strict=False):
        yield f"good_{_word(number)}.{ending}", {**REAL, **texts}[ending]
