"""What changed since the merge base, read as commands read it."""

from pathlib import Path

import orjson

from lumos_snap.git import changes, merge_base, open_repository, read_changes

repository = open_repository(Path())
base = merge_base(repository, "main", announce=print)
found = changes(repository, base.commit, under=("snapshots",))
before, after = [], []
for contents in read_changes(repository, found):
    if contents.before is not None:
        before.append(orjson.loads(contents.before))
    if contents.after is not None:
        after.append(orjson.loads(contents.after))
print(len(before), len(after))
