"""What runs in executors: it looks at one file and says what it found, and interprets nothing.

Everything here is pickled by value, so that workers need nothing of ours. It imports the standard
library and pyarrow only; what it has of its own is imported at the head of each module.
"""
