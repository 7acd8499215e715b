"""What every client of a server shares: bounded answers, and output without secrets."""
