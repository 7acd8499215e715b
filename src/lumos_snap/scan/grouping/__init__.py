"""Which files are one dataset, what it is called, and what its path says: pure, path by path."""
