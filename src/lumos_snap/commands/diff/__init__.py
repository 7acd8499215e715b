"""`lumos snap diff`: compare two sides of a tree, judge the differences and show them."""
