"""What Azure's own tools take from the environment, on the driver and in workers alike."""

import os


def account_here() -> str | None:
    """The account of an address that names none."""
    return os.environ.get("AZURE_STORAGE_ACCOUNT") or None


def account_key() -> str | None:
    """The key of an account; without it, a signature or an identity opens it."""
    return os.environ.get("AZURE_STORAGE_KEY") or None


def shared_signature() -> str | None:
    """A shared access signature, without a question mark before it."""
    return os.environ.get("AZURE_STORAGE_SAS_TOKEN", "").removeprefix("?") or None
