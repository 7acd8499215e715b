"""DataHub: our documents as its aspects, and back. Plain JSON: only `classes` needs its SDK."""
