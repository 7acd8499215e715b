"""What the logs of Delta, Iceberg and Hudi tables say. Runs in executors."""
