"""`lumos snap diff`: two sides of a tree, compared, judged by policy and shown."""
