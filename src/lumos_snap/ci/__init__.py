"""What the gate is on GitHub: which pull request is meant, its one comment, its commit status."""
