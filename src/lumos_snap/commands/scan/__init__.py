"""`lumos snap scan`: update the tree from storage."""
