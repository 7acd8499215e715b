"""Tables with a transaction log: Delta Lake, Iceberg and Hudi; and tables of Spark catalogs."""
