"""What commands answer, as values: printed for people, or as JSON with a published schema."""
