"""Rendering of reports: plain text, Markdown, HTML, JSON and formats of CI systems."""
