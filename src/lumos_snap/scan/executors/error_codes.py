"""Error codes: why a file cannot be described, for reports and tests."""

EMPTY = "empty"
TRUNCATED = "truncated"
DAMAGED = "damaged"  # the start or the name suggests a format, but the content is not valid
ENCRYPTED = "encrypted"
UNREADABLE = "unreadable"  # the system denies access
UNREACHABLE = "unreachable"  # the store did not answer, despite all retries
CLOSED = "closed"  # workers have no credentials for the store: no file can be read
VANISHED = "vanished"  # removed since the folder was listed
MISSING = "missing"  # the log of a table names a file that does not exist
TOO_LARGE = "too-large"  # a part that must be read exceeds the limit
ARCHIVED = "archived"  # in a storage class that must be restored first
UNKNOWN = "unknown-format"
