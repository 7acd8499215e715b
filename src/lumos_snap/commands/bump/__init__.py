"""`lumos snap bump`: versions and tags of a release."""
