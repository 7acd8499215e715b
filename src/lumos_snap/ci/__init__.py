"""Integration with pipelines: comment and status on GitHub, and a webhook."""
