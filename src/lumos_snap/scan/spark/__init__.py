"""Spark for a scan: start, session, job, clusters and shutdown."""
