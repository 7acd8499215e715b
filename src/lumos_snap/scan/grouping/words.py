"""What the words in a file name are: tables."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


GENERIC = _words(
    "part parts data file files chunk chunks export exports output outputs out result results"
    " batch run dump segment record records block shard shards partition snapshot dataset load"
    " unload unnamed task attempt flumedata split tid"
)
"""A name of nothing but these says nothing: the folder is the dataset."""

PARTS = _words(
    "part chunk shard split slice block batch task attempt copy page bucket partition run tid"
    " jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july"
    " august september october november december"
)
"""Words that go where they stand beside a number, as in `clicks_part_1` or `clicks_jan_2024`."""

BETWEEN = _words("r m of")
"""Words that go between two numbers, as in `part-r-00000` or `00001-of-00010`."""

CODECS = _words("snappy gz gzip bz2 bzip2 zst zstd zlib lz4 lzo xz deflate brotli uncompressed")
"""Words that go at the end of a name, as in `00000-snappy.parquet`."""

MONTHS_AND_ZONES = _words("jan feb mar apr may jun jul aug sep sept oct nov dec t z utc am pm")
"""What may stand glued between the numbers of a date, as in `15Jan2024`."""


def forms(word: str) -> frozenset[str]:
    """The spellings that singular and plural of a word may share."""
    ways = {word}
    if word.endswith("ies"):
        ways.add(f"{word[:-3]}y")
    if word.endswith("es"):
        ways.add(word[:-2])
    if word.endswith("s"):
        ways.add(word[:-1])
    return frozenset(way for way in ways if way)
