"""What git remembers of datasets: `log`, `blame`, and a tree over a period."""
