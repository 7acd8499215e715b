"""`python -m lumos_snap` is `lumos`."""

from lumos_snap.cli import program

if __name__ == "__main__":
    program()
