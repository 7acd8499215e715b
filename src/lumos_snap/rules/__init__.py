"""What facts mean: a table of rules, and how policy and waivers turn findings into a verdict."""
