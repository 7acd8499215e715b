"""Text that was written by anybody, as plain values with positions: JSON and YAML."""

from lumos_snap.documents.position import Place, Pointer, Problem, RefusedError

__all__ = ["Place", "Pointer", "Problem", "RefusedError"]
