"""Tables that keep a log of themselves: found by path, described by what the log says."""
