"""Whatever bytes a file holds, it is described or refused: soon, and in little memory."""

import io
import json
import time
import tracemalloc
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import orc as pyarrow_orc

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats.orc import probe as orc_probe
from lumos_snap.scan.formats.orc.probe import FOOTER_LIMIT
from lumos_snap.scan.formats.orc.schema import schema_of
from lumos_snap.scan.stores.store import BadFileError, RangedFile
from tests.scan.formats.orc import footers
from tests.scan.formats.orc.descriptions import file_of, problems
from tests.scan.formats.orc.footers import (
    chunk,
    deflated,
    file_with,
    footer,
    sized,
    type_of,
    varint,
)

pytestmark = pytest.mark.slow  # bombs and floods take their time

MEMORY = 160 * 1024 * 1024
SECONDS = 2.0  # on a machine that does other work as well


def outcome(data: bytes) -> ProbeResult | str:
    """What is said of a file, or the reason for which nothing is; nothing else is raised."""
    try:
        found = orc_probe.probe(file_of(data))
    except BadFileError as refusal:
        return refusal.reason if refusal.detail else "nothing said"
    assert problems(schema_of(json.loads(found.schema)).schema) == ()
    return found


def written(codec: str) -> bytes:
    kind = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))])
    table = pa.table({"c": pa.array([{"a": 1, "b": ["x"]}], kind), "d": pa.array([True])})
    sink = io.BytesIO()
    pyarrow_orc.write_table(table, sink, compression=codec)
    return sink.getvalue()


CODECS = ("uncompressed", "zlib", "snappy", "lz4", "zstd")
FILES = {codec: written(codec) for codec in CODECS}


@pytest.mark.parametrize("codec", CODECS)
def test_a_file_that_is_cut_anywhere_is_refused(codec: str) -> None:
    whole = FILES[codec]
    found = [outcome(whole[:length]) for length in range(len(whole))]
    assert found[0] == error_codes.EMPTY
    assert set(found[1:]) <= {error_codes.TRUNCATED, error_codes.DAMAGED}
    assert found.count(error_codes.TRUNCATED) > 0.9 * len(whole)


@pytest.mark.parametrize("codec", CODECS)
def test_a_file_that_lost_its_beginning_is_described_or_refused(codec: str) -> None:
    whole = FILES[codec]
    for start in range(1, len(whole)):
        outcome(whole[start:])


@settings(deadline=None, max_examples=400)
@given(
    st.sampled_from(CODECS),
    st.lists(st.tuples(st.integers(0, 400), st.integers(1, 255)), max_size=4),
)
def test_a_file_with_other_bytes_is_described_or_refused(
    codec: str, flips: list[tuple[int, int]]
) -> None:
    data = bytearray(FILES[codec])
    for at, mask in flips:
        data[-1 - at % len(data)] ^= mask
    outcome(bytes(data))


@settings(deadline=None, max_examples=400)
@given(st.binary(max_size=300), st.booleans())
def test_random_bytes_are_described_or_refused(noise: bytes, is_signed: bool) -> None:
    outcome(b"ORC" + noise)
    outcome(file_with(noise, magic=b"ORC" if is_signed else b""))
    outcome(file_with(chunk(deflated(noise)), numbers={2: 1}))


@settings(deadline=None, max_examples=200)
@given(st.sampled_from([1, 2, 3, 4, 5, 6]), st.binary(max_size=200))
def test_random_chunks_are_described_or_refused(codec: int, noise: bytes) -> None:
    outcome(file_with(chunk(noise), numbers={2: codec}))


INT = type_of("int")
ROOT = type_of("struct", 1, names=["c"])
DAMAGED = {
    "no type": footer(),
    "more names than columns": footer(type_of("struct", 1, names=["a", "b"]), INT),
    "fewer names than columns": footer(type_of("struct", 1, 2, names=["a"]), INT, INT),
    "a type beyond the last": footer(type_of("struct", 9, names=["a"]), INT),
    "a type that holds itself": footer(ROOT, type_of("list", 1)),
    "a type that holds the one above": footer(ROOT, type_of("list", 0)),
    "a type that two hold": footer(type_of("struct", 1, 1, names=["a", "b"]), INT),
    "a list of two": footer(ROOT, type_of("list", 2, 3), INT, INT),
    "a list of nothing": footer(ROOT, type_of("list")),
    "a map without values": footer(ROOT, type_of("map", 2), INT),
    "a name that is no text": footer(sized(3, b"\xff\xfe") + sized(2, b"\x01"), INT),
    "a number in place of a type": footers.counted(4, 7),
    "bytes in place of a number of rows": footer(ROOT, INT)[:-2] + sized(6, b"3"),
    "a field beyond its message": footer(ROOT, INT) + varint(4 << 3 | 2) + varint(2**40),
    "a field of a kind that there is not": footer(ROOT, INT) + varint(9 << 3 | 3),
    "a number that does not end": footer(ROOT, INT) + b"\x30" + b"\xff" * 20,
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_footers_that_make_no_sense_are_damaged(content: bytes) -> None:
    assert outcome(file_with(content)) == error_codes.DAMAGED


REFUSED = {
    "a footer longer than the file": (
        file_with(footer(ROOT, INT), numbers={1: 2**40}),
        error_codes.DAMAGED,
    ),
    "a postscript longer than the file": (b"ORC\xff", error_codes.TRUNCATED),
    "a codec that there is not": (file_with(footer(), numbers={2: 99}), error_codes.TRUNCATED),
    "a footer in lzo": (file_with(chunk(b"abc"), numbers={2: 3}), error_codes.UNREADABLE),
    "a chunk beyond the footer": (
        file_with(b"\xff\xff\x00abc", numbers={2: 1}),
        error_codes.DAMAGED,
    ),
    "deflate that does not end": (
        file_with(chunk(deflated(footer(ROOT, INT))[:-3]), numbers={2: 1}),
        error_codes.DAMAGED,
    ),
    "snappy that does not say its length": (
        file_with(chunk(b"\xff" * 9), numbers={2: 2}),
        error_codes.DAMAGED,
    ),
    "what is no ORC at all": (b"PAR1 and what follows", error_codes.DAMAGED),
}


@pytest.mark.parametrize(("data", "reason"), REFUSED.values(), ids=REFUSED)
def test_files_that_cannot_be_read_have_a_reason(data: bytes, reason: str) -> None:
    assert outcome(data) == reason


BLOCK = {3: 2**23}
BOMB = bytes(FOOTER_LIMIT + 1)


def bombs() -> dict[str, bytes]:
    zeros = bytes(4_000_000)
    lz4 = pa.compress(zeros, "lz4_raw", asbytes=True)
    return {
        "deflate": file_with(chunk(deflated(BOMB)), numbers={2: 1, 3: 2**40}),
        "deflate in parts": file_with(chunk(deflated(zeros)) * 9, numbers={2: 1} | BLOCK),
        "snappy": file_with(chunk(pa.compress(BOMB, "snappy", asbytes=True)), numbers={2: 2}),
        "snappy that claims": file_with(
            chunk(b"\xff\xff\xff\xff\x0f\x00"), numbers={2: 2, 3: 2**40}
        ),
        "lz4": file_with(chunk(lz4) * 9, numbers={2: 4} | BLOCK),
        "zstd": file_with(chunk(pa.compress(BOMB, "zstd", asbytes=True)), numbers={2: 5, 3: 2**40}),
        "brotli": file_with(
            chunk(pa.compress(BOMB, "brotli", asbytes=True)), numbers={2: 6, 3: 2**40}
        ),
        "chunks of nothing": file_with(b"\x01\x00\x00" * 5_000_000, numbers={2: 1}),
        "a long footer": file_with(BOMB),
        "types": file_with(b"\x22\x00" * 8_000_000),
        "stripes": file_with(b"\x1a\x00" * 8_000_000),
        "numbers": file_with(b"\x30\x01" * 8_000_000),
        "types that a type holds": file_with(sized(4, sized(2, b"\x01" * 16_000_000))),
        "names": file_with(sized(4, b"\x1a\x00" * 8_000_000)),
        "attributes": file_with(sized(4, b"\x3a\x00" * 8_000_000)),
        "parts of an attribute": file_with(sized(4, sized(7, b"\x0a\x00" * 7_900_000))),
    }


BOMBS = bombs()


@pytest.mark.parametrize("name", BOMBS)
def test_what_is_too_large_is_refused_soon(name: str) -> None:
    started = time.process_time()
    assert outcome(BOMBS[name]) == error_codes.TOO_LARGE
    assert time.process_time() - started < SECONDS


@pytest.mark.slow
@pytest.mark.parametrize("name", ["deflate", "snappy", "zstd", "brotli", "types", "names"])
def test_what_is_too_large_is_refused_in_little_memory(name: str) -> None:
    assert _peak(lambda: outcome(BOMBS[name])) < MEMORY


def _peak(call: Callable[[], object]) -> int:
    tracemalloc.start()
    before = pa.total_allocated_bytes()
    try:
        call()
        peak: int = tracemalloc.get_traced_memory()[1] + pa.total_allocated_bytes() - before
    finally:
        tracemalloc.stop()
    return peak


def test_what_a_length_claims_is_not_read() -> None:
    asked: list[int] = []
    data = file_with(footer(ROOT, INT), numbers={1: 2**40})

    def read(offset: int, length: int) -> bytes:
        asked.append(length)
        return data[-length:]

    with pytest.raises(BadFileError) as refusal:
        orc_probe.probe(RangedFile(2**50, read))
    assert refusal.value.reason == error_codes.TOO_LARGE
    assert max(asked) <= 64 * 1024
