"""The floor of validation: read every file below a folder, and parse it."""

import os
import sys

import orjson

count = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".json"):
            with open(os.path.join(folder, name), "rb") as file:  # noqa: PTH118, PTH123 - the floor is bare
                orjson.loads(file.read())
            count += 1
print(count)
