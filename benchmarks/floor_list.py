"""The floor of a scan where nothing changed: every file is met, with its size and time.

python floor_list.py FOLDER
"""

import os
import sys

count = 0
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        status = os.stat(os.path.join(folder, name))  # noqa: PTH116, PTH118 - the floor is bare
        count += status.st_size > 0
print(count)
