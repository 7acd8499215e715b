"""Shared functions of clients: limits of responses, and removal of secrets."""
