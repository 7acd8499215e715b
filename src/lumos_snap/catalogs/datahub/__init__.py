"""DataHub: documents ↔ aspects, as plain JSON. Only `client` needs DataHub's SDK."""
