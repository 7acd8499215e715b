"""The reports of commands, as values: rendered as text, or as JSON with a published schema."""
