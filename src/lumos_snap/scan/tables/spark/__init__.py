"""Tables of a Spark session's catalog."""
