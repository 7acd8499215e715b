"""Stores that are reached over a network: each is listed by its provider's own client."""
