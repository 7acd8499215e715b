"""The floor of reading history: git's own commands, called bare, and orjson for each version."""

import subprocess
import sys

import orjson


def git(*arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["git", *arguments], input=stdin, capture_output=True, check=True).stdout


options = (
    "--raw",
    "-z",
    "--no-abbrev",
    "--no-renames",
    "--date-order",
    "--format=%H%x00%an%x00%ct",
)
listing = git("log", *options, "HEAD", "--", sys.argv[1]).split(b"\0")
rows = [part.split(b" ") for part in listing if part.lstrip(b"\n").startswith(b":")]
oids = list(dict.fromkeys(oid for row in rows for oid in (row[3], row[2]) if oid.strip(b"0")))
stream = git("cat-file", "--batch", "--buffer", stdin=b"\n".join(oids) + b"\n")
at, found = 0, []
for _ in oids:
    end = stream.index(b"\n", at)
    size = int(stream[at:end].rpartition(b" ")[2])
    found.append(orjson.loads(stream[end + 1 : end + 1 + size]))
    at = end + size + 2
print(len(found))
