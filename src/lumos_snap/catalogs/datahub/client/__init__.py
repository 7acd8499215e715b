"""The client of a DataHub server: only this folder loads DataHub's SDK."""
