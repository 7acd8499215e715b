"""`lumos doctor`: checks of the environment."""
