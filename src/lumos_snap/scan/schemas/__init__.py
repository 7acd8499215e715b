"""From the evidence of files to portable schemas: on the driver, without Spark."""
