"""The floor of reading what changed: git's own commands, called bare, and orjson."""

import os
import subprocess

import orjson


def git(*arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["git", *arguments], input=stdin, capture_output=True, check=True).stdout


base = git("merge-base", "main", "HEAD").strip().decode()
listing = git("diff-index", "-r", "-z", "--raw", base, "--", "snapshots").split(b"\0")[:-1]
untracked = git("ls-files", "--others", "--exclude-standard", "-z", "--", "snapshots").split(b"\0")[
    :-1
]
oids = [about.split(b" ")[2] for about in listing[::2]]
paths = [os.fsdecode(path) for path in listing[1::2]]
stream = git("cat-file", "--batch", stdin=b"\n".join(oids) + b"\n")
at, before = 0, []
for _ in oids:
    end = stream.index(b"\n", at)
    size = int(stream[at:end].rpartition(b" ")[2])
    before.append(orjson.loads(stream[end + 1 : end + 1 + size]))
    at = end + size + 2
after = []
for path in [*paths, *map(os.fsdecode, untracked)]:
    with open(path, "rb") as file:  # noqa: PTH123 - the floor is bare
        after.append(orjson.loads(file.read()))
print(len(before), len(after))
