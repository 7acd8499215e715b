"""What a sync would do: a pure function of the base, the tree and the catalog."""
