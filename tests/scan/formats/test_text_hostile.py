"""Hostile text: bombs, random bytes, files cut anywhere. Each ends soon, and in a known way."""

import bz2
import gzip
import json
import lzma
import random
import time
import tracemalloc
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lumos_snap.scan.executors import error_codes
from lumos_snap.scan.executors.probe_result import ProbeResult
from lumos_snap.scan.formats import compression, detect
from lumos_snap.scan.formats.compression import SNAPPY_MAGIC
from lumos_snap.scan.stores.store import BadFileError, RangedFile
from tests.scan.formats.text_descriptions import described, file_of, require_valid

pytestmark = pytest.mark.slow  # bombs and floods take their time

HINTS = ("", "csv", "tsv", "json")
SUFFIXES = ("", ".gz", ".snappy", ".lz4", ".deflate")
REASONS = frozenset(value for name, value in vars(error_codes).items() if name.isupper())
SECONDS = 3.0  # of a processor that others use as well
MEMORY = 64 * 1024 * 1024


def outcome(file: RangedFile, hint: str = "", suffix: str = "") -> ProbeResult | str:
    """What is said of a file; nothing but the one exception may come out."""
    found = outcome_of_probe(file, hint, suffix)
    if isinstance(found, ProbeResult):
        require_valid(described(found), found.format)
    return found


def outcome_of_probe(file: RangedFile, hint: str = "", suffix: str = "") -> ProbeResult | str:
    """Only the probe: what the driver makes of its answer takes longer for 20,000 columns."""
    refused = None
    try:
        return detect.probe(file, hint, suffix)
    except BadFileError as exc:
        refused = exc
    assert refused.reason in REASONS
    assert refused.detail
    return refused.reason


def repeating(piece: bytes, size: int) -> RangedFile:
    """A file far larger than memory should ever hold: bytes are made when they are asked for."""

    def made(offset: int, length: int) -> bytes:
        assert length <= compression.ONE_BLOCK
        start = offset % len(piece)
        return (piece * (length // len(piece) + 2))[start : start + length]

    return RangedFile(size, made)


ZEROS = bytes(1 << 24)


def gzip_bomb() -> bytes:
    return gzip.compress(ZEROS) * 64


def bz2_bomb() -> bytes:
    return bz2.compress(ZEROS) * 64


def xz_bomb() -> bytes:
    return lzma.compress(ZEROS) * 64


def zstd_bomb() -> bytes:
    return pa.compress(ZEROS, codec="zstd", asbytes=True) * 64  # type: ignore[no-any-return]


BOMBS: dict[str, Callable[[], RangedFile]] = {
    "gzip": lambda: file_of(gzip_bomb()),
    "bz2": lambda: file_of(bz2_bomb()),
    "xz": lambda: file_of(xz_bomb()),
    "zstd": lambda: file_of(zstd_bomb()),
    "gzip of a table": lambda: file_of(gzip.compress(b"id,name\n" + b"1,x\n" * 10_000_000, 1)),
    "one JSON line": lambda: repeating(b'{"a": "' + b"x" * 100, 200_000_000),
    "one JSON string": lambda: repeating(b'"aaaa', 200_000_000),
    "one JSON array": lambda: repeating(b"[1, 2, 3, ", 200_000_000),
    "arrays without end": lambda: repeating(b"[", 200_000_000),
    "objects without end": lambda: repeating(b'{"a":', 200_000_000),
    "brackets line by line": lambda: repeating(b'{"a":\n', 200_000_000),
    "closing brackets": lambda: file_of(b'{"a":1}\n' + b"]" * 262_000),
    "lines of nothing": lambda: repeating(b"\n", 200_000_000),
    "backslashes": lambda: repeating(b'"\\', 200_000_000),
    "an escape at the end": lambda: file_of(b'{"a": "' + b"\\\\" * 100_000 + b"\\"),
    "a number without end": lambda: repeating(b"1", 200_000_000),
    "numbers without end": lambda: file_of(b'{"a": ' + b"1" * 200_000 + b"}"),
    "deep arrays": lambda: file_of(b"[" * 100_000 + b"]" * 100_000),
    "deep arrays in a line": lambda: file_of(b'{"a":1}\n{"a":' + b"[" * 100_000 + b"]" * 100_000),
    "many names": lambda: file_of(json.dumps({f"{n}x": n for n in range(18_000)}).encode()),
    "a million columns": lambda: repeating(b"c,", 2_000_000),
    "many columns": lambda: file_of(b"c," * 100_000 + b"\n1,2\n"),
    "a million columns of tabs": lambda: repeating(b"\t", 2_000_000),
    "a quote without end": lambda: repeating(b'a,b\n"', 200_000_000),
    "a quote never closed": lambda: file_of(b'a,b\n"' + b"1,2\n" * 60_000),
    "quotes only": lambda: repeating(b'"', 200_000_000),
    "quotes and commas": lambda: repeating(b'",', 200_000_000),
    "single quotes": lambda: repeating(b"',", 200_000_000),
    "null marks": lambda: repeating(b"\\N,", 200_000_000),
    "comments": lambda: repeating(b"#\n", 200_000_000),
    "carriage returns": lambda: repeating(b"a,b\r", 200_000_000),
    "wide rows": lambda: file_of((b",".join([b"1"] * 15_000) + b"\n") * 8),
    "a short row of a wide table": lambda: file_of(b"a\n" * 100_000 + b"," * 19_000 + b"\n"),
    "digits and commas": lambda: repeating(b"1.111.111.111,1", 200_000_000),
}


@pytest.mark.parametrize("hint", HINTS)
@pytest.mark.parametrize("name", BOMBS)
def test_bombs_cost_no_more_than_the_limits(name: str, hint: str) -> None:
    file = BOMBS[name]()
    start = time.thread_time()  # threads that other tests left are no part of it
    outcome_of_probe(file, hint)
    assert time.thread_time() - start < SECONDS


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_take_no_memory_to_speak_of(name: str) -> None:
    file = BOMBS[name]()
    tracemalloc.start()
    try:
        outcome_of_probe(file, "json" if "JSON" in name else "csv")
        assert tracemalloc.get_traced_memory()[1] < MEMORY
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("name", "hint", "expected"),
    [
        ("gzip", "csv", "damaged"),
        ("deep arrays", "json", "too-large"),
        ("arrays without end", "json", "too-large"),
        ("a million columns", "csv", "too-large"),
        ("many columns", "csv", "too-large"),
        ("one JSON string", "json", "damaged"),
        ("lines of nothing", "csv", "too-large"),
    ],
)
def test_bombs_are_refused_with_a_reason(name: str, hint: str, expected: str) -> None:
    assert outcome(BOMBS[name](), hint) == expected


def test_one_giant_record_is_described_by_its_beginning() -> None:
    beginning = b'{"id": 1, "blob": "'
    file = RangedFile(
        200_000_000,
        lambda offset, length: (beginning + b"x" * length)[offset : offset + length],
    )
    found = outcome(file, "json")
    assert isinstance(found, ProbeResult)
    assert "cut" in found.schema


MAGICS = (
    b"", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18",
    SNAPPY_MAGIC, b"\x78\x9c", b"\x00\x00\x00\x20\x00\x00\x00\x10", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\xfe\xff", b"\xff\xfe\x00\x00", b'{"a":', b"[", b"a,b\n1,", b"PAR1", b"sep=;\n", b"#",
)  # fmt: skip
TEXTS = st.text(st.sampled_from("abz019,;\t|\n\r\"'\\{}[]:# .-eN\x01é\ufeff\x00"), max_size=60)


@given(
    st.sampled_from(MAGICS),
    st.one_of(
        st.binary(max_size=80), TEXTS.map(str.encode), TEXTS.map(lambda t: t.encode("utf-16"))
    ),
    st.sampled_from(HINTS),
    st.sampled_from(SUFFIXES),
)
@example(b"", b'a,b\n"x', "csv", "")
@settings(max_examples=600, deadline=1000)
def test_any_bytes_are_described_or_refused(
    magic: bytes, rest: bytes, hint: str, suffix: str
) -> None:
    outcome(file_of(magic + rest), hint, suffix)


@given(TEXTS, st.sampled_from(HINTS), st.sampled_from((gzip.compress, bz2.compress, lzma.compress)))
@settings(max_examples=150, deadline=1000)
def test_any_text_may_be_compressed(
    plain: str, hint: str, compress: Callable[[bytes], bytes]
) -> None:
    bare, packed = (
        outcome(file_of(plain.encode()), hint),
        outcome(file_of(compress(plain.encode())), hint),
    )
    if isinstance(bare, ProbeResult):
        assert isinstance(packed, ProbeResult)
        assert (packed.schema, packed.rows) == (bare.schema, bare.rows)


SAMPLES = {
    "csv": 'id,name\r\n1,"a ""b"", c"\r\n2,ü\r\n',
    "json": '[{"a": 1, "b": [true, null]},\n {"a": 2.5, "c": {"d": "é\\u00e9"}}]',
    "lines": '{"a": 1}\n{"a": "x", "b": {"c": []}}\n',
}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("codec", ["none", "gzip", "bz2", "xz", "zstd", "lz4"])
def test_a_file_may_be_cut_anywhere(name: str, codec: str) -> None:
    data = SAMPLES[name].encode()
    if codec in ("gzip", "bz2", "xz"):
        data = {"gzip": gzip, "bz2": bz2, "xz": lzma}[codec].compress(data)
    elif codec != "none":
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, codec) as stream:
            stream.write(data)
        data = sink.getvalue().to_pybytes()
    for length in range(len(data)):
        outcome(file_of(data[:length]), "csv" if name == "csv" else "json")


@pytest.mark.parametrize("codec", ["gzip", "bz2", "xz", "zstd", "lz4"])
def test_flipped_bits_are_survived(codec: str) -> None:
    rng = random.Random(codec)
    sink = pa.BufferOutputStream()
    plain = SAMPLES["csv"].encode() * 20
    if codec == "xz":
        data = lzma.compress(plain)
    else:
        with pa.CompressedOutputStream(sink, codec) as stream:
            stream.write(plain)
        data = sink.getvalue().to_pybytes()
    for _ in range(150):
        broken = bytearray(data)
        broken[rng.randrange(len(broken))] ^= 1 << rng.randrange(8)
        outcome(file_of(bytes(broken)), "csv")


def test_errors_of_storage_pass_through() -> None:
    def fails(offset: int, length: int) -> bytes:
        raise TimeoutError("no answer")

    with pytest.raises(TimeoutError):
        detect.probe(RangedFile(10, fails), "csv")
