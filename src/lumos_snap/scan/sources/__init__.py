"""Sources of a scan: folders, object stores, and the tables of Spark and Iceberg catalogs."""
