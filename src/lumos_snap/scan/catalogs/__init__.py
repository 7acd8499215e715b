"""Catalogs as sources: tables that come with a description, whose files nobody has to read."""
