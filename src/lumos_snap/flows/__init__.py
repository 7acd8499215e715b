"""What the commands do, one short story per verb. Nothing here prints, exits or asks the clock."""
