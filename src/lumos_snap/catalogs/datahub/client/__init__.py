"""DataHub's own package: nothing outside this folder loads it."""
