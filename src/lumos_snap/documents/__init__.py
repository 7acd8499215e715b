"""Untrusted text as plain values with positions: JSON and YAML."""

from lumos_snap.documents.position import DocumentRefusedError, Pointer, Position, Problem

__all__ = ["DocumentRefusedError", "Pointer", "Position", "Problem"]
