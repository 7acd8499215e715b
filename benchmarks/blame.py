"""The origins of all columns of one dataset, found as `lumos snap blame` finds them."""

import sys

from lumos_snap.commands.blame import blame
from lumos_snap.tree import open_tree

print(len(blame(open_tree(), sys.argv[1]).columns))
