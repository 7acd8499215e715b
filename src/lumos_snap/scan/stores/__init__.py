"""Storage: local folders, S3, Azure, Google Cloud Storage and HDFS, listed and read in ranges."""
