"""Why a file cannot be described: each reason is a word that reports and tests know."""

EMPTY = "empty"
TRUNCATED = "truncated"
DAMAGED = "damaged"  # it begins like its format, or is called so, and is not
ENCRYPTED = "encrypted"
UNREADABLE = "unreadable"  # the system refuses
UNREACHABLE = "unreachable"  # the store did not answer, however often it was asked
CLOSED = "closed"  # workers have no credentials for the store: no file can be read
VANISHED = "vanished"  # it was there when the folder was listed
TOO_LARGE = "too-large"  # what must be read of it is beyond the limit
ARCHIVED = "archived"  # the store keeps it where it cannot be read at once
UNKNOWN = "unknown-format"
