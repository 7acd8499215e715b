"""The commands of `lumos snap`."""
