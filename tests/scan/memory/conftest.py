from tests.scan.flow.conftest import place, scanned

__all__ = ["place", "scanned"]
