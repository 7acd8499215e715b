"""`lumos snap search`: search of the tree through an index that is kept up to date."""
