"""`python -m lumos_snap` is `lumos`."""

import sys

from lumos_snap.cli import main

if __name__ == "__main__":
    sys.exit(main())
