"""Catalogs: what each can hold of our documents. Each SDK is imported in its own adapter only."""
