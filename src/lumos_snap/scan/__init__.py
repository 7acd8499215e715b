"""Reading storage: what lies there, what belongs together, and what its files say of themselves."""
