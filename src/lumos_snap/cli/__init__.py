"""The command line: parse, call one flow, render, exit."""

from lumos_snap.cli.app import main

__all__ = ["main"]
