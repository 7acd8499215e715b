"""What pipelines speak to: the outside of a gate."""
