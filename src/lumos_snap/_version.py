"""The version of the tool and of the snapshot format, each written once."""

__version__ = "0.1.0"
FORMAT_VERSION = "1.0.0"
