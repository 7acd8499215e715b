"""`lumos snap sync`: a tree and a catalog, brought in line."""
