"""Compressed text: every codec, whole, in several members, cut and damaged."""

import bz2
import gzip
import lzma
import os
import zlib
from collections.abc import Callable, Mapping

import pyarrow as pa
import pytest

from tests.scan.formats.text_descriptions import ask, refusal

pytestmark = pytest.mark.slow  # bombs and floods take their time

TABLE = b"id,name\n1,x\n2,y\n"


def arrow(codec: str) -> Callable[[bytes], bytes]:
    def compress(data: bytes) -> bytes:
        sink = pa.BufferOutputStream()
        with pa.CompressedOutputStream(sink, codec) as stream:
            stream.write(data)
        return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]

    return compress


def framed_snappy(data: bytes) -> bytes:
    """Snappy's framing, which no installed library writes; checksums are not looked at."""
    chunks = [b"\xff\x06\x00\x00sNaPpY", b"\x80\x03\x00\x00pad"]
    for at in range(0, len(data), 65536):
        packed = pa.Codec("snappy").compress(data[at : at + 65536], asbytes=True)
        kind, body = (0, packed) if at % 131072 == 0 else (1, data[at : at + 65536])
        chunks.append(bytes([kind]) + (len(body) + 4).to_bytes(3, "little") + b"crc!" + body)
    return b"".join(chunks)


def hadoop(codec: str) -> Callable[[bytes], bytes]:
    """Hadoop's blocks; Spark writes them too, but takes seconds."""

    def compress(data: bytes) -> bytes:
        out = []
        for at in range(0, len(data), 262144):
            block = data[at : at + 262144]
            out.append(len(block).to_bytes(4, "big"))
            for inner in range(0, len(block), 100_000):
                packed = pa.Codec(codec).compress(block[inner : inner + 100_000], asbytes=True)
                out.append(len(packed).to_bytes(4, "big") + packed)
        return b"".join(out)

    return compress


CODECS: Mapping[str, tuple[str, str, Callable[[bytes], bytes]]] = {
    "gzip": ("gzip", "", gzip.compress),
    "bz2": ("bz2", "", bz2.compress),
    "xz": ("xz", "", lzma.compress),
    "zstd": ("zstd", "", arrow("zstd")),
    "lz4": ("lz4", "", arrow("lz4")),
    "snappy": ("snappy", "", framed_snappy),
    "hadoop-snappy": ("snappy", ".snappy", hadoop("snappy")),
    "hadoop-lz4": ("lz4", ".lz4", hadoop("lz4_raw")),
    "deflate": ("deflate", ".deflate", zlib.compress),
}
every_codec = pytest.mark.parametrize("name", CODECS)


def long_table() -> bytes:
    """More than the head, and it does not compress well."""
    rows = (f"{i},{os.urandom(20).hex()}g\n" for i in range(60_000))
    return ("id,name\n" + "".join(rows)).encode()


@every_codec
def test_a_small_file_is_read_whole(name: str) -> None:
    codec, suffix, compress = CODECS[name]
    answer = ask(compress(TABLE), "csv", suffix)
    assert answer.columns == [("id", "INT64"), ("name", "STRING")]
    assert (answer.codecs, answer.rows, answer.notes) == ((codec,), 2, ())


@every_codec
def test_of_a_large_file_the_head_is_read(name: str) -> None:
    codec, suffix, compress = CODECS[name]
    answer = ask(compress(long_table()), "csv", suffix)
    assert answer.columns == [("id", "INT64"), ("name", "STRING")]
    assert (answer.codecs, answer.rows, answer.notes) == ((codec,), None, ())


@every_codec
def test_a_stream_that_breaks_off_is_described_as_far_as_it_goes(name: str) -> None:
    _, suffix, compress = CODECS[name]
    data = compress(b"id,name\n" + b"1,abc\n" * 200_000)
    cut = compress(long_table()[:1_000_000])[:-3000]
    if name not in ("bz2", "zstd", "lz4"):  # these hold it in one block, or stop without a piece
        assert ask(data[: len(data) * 9 // 10], "csv", suffix).rows is None
    answer = ask(cut, "csv", suffix)
    assert answer.types == {"id": "INT64", "name": "STRING"}
    note = "the compressed stream ends early: only its beginning was read"
    assert answer.rows is None
    assert answer.notes in ((), (note,))


@every_codec
def test_a_small_stream_that_breaks_off_early_is_truncated(name: str) -> None:
    _, suffix, compress = CODECS[name]
    data = compress(TABLE)
    for length in range(11, len(data) // 2):
        assert refusal(data[:length], "csv", suffix) in ("truncated", "damaged", "empty")


@every_codec
def test_bytes_after_the_magic_that_mean_nothing_are_damage(name: str) -> None:
    _, suffix, compress = CODECS[name]
    broken = compress(TABLE)[:10] + b"\x07\xf9" * 500
    assert refusal(broken, "csv", suffix) in ("damaged", "truncated")


@every_codec
def test_what_is_inside_must_be_text(name: str) -> None:
    _, suffix, compress = CODECS[name]
    assert refusal(compress(b"PAR1\x00\x00\x01\x02" * 9), "", suffix) == "damaged"
    assert refusal(compress(b""), "csv", suffix) in ("empty", "unknown-format", "damaged")


@pytest.mark.parametrize("name", ["gzip", "bz2", "xz", "zstd", "lz4"])
def test_several_members_are_one_text(name: str) -> None:
    _, _, compress = CODECS[name]
    answer = ask(compress(b"id,name\n1,x\n") + compress(b"2,y\n3,z\n"), "csv")
    assert (answer.rows, answer.notes) == (3, ())


def test_many_tiny_members_end() -> None:
    data = gzip.compress(b"id,name\n1,x\n") + gzip.compress(b"") * 10_000
    assert ask(data, "csv").rows is None


def test_padding_and_litter_after_a_member_are_let_be() -> None:
    assert ask(gzip.compress(TABLE) + b"\0" * 999, "csv").rows == 2
    assert ask(gzip.compress(TABLE) + b"litter", "csv").rows == 2


def test_a_suffix_does_not_make_plain_text_compressed() -> None:
    for suffix in (".snappy", ".lz4", ".gz", ".deflate"):
        answer = ask(TABLE, "csv", suffix)
        assert (answer.codecs, answer.rows) == ((), 2)


def test_compressed_text_of_no_known_kind_is_not_called_damaged() -> None:
    assert refusal(gzip.compress(b"just some words\n" * 9)) == "unknown-format"


def test_json_may_be_compressed_as_well() -> None:
    answer = ask(gzip.compress(b'{"a":1}\n{"a":2}\n'))
    assert (answer.format, answer.codecs, answer.rows) == ("json", ("gzip",), 2)


def test_a_stream_that_needs_much_memory_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    assert refusal(lzma.compress(TABLE, filters=filters), "csv") == "too-large"
    window = b"\x28\xb5\x2f\xfd\x00" + bytes([20 << 3]) + b"\x61\x00\x00" + TABLE
    assert refusal(window, "csv") == "too-large"
    single = b"\x28\xb5\x2f\xfd\xe0" + (1 << 40).to_bytes(8, "little") + b"\x61\x00\x00" + TABLE
    assert refusal(single, "csv") == "too-large"
    assert ask(lzma.compress(TABLE, preset=9), "csv").rows == 2


def test_a_block_that_claims_too_much_is_refused_at_once() -> None:
    claim = (4 << 20).to_bytes(4, "big") + (9).to_bytes(4, "big") + b"\xff\xff\xff\xff\x0fabcd"
    assert refusal(claim, "csv", ".snappy") == "damaged"
    literals = b"\xf0" + b"\xff" * 9
    lz4 = (4 << 20).to_bytes(4, "big") + len(literals).to_bytes(4, "big") + literals
    assert refusal(lz4, "csv", ".lz4") == "damaged"
