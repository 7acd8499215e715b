"""`lumos snap sync`: synchronization of a tree with a catalog."""
