"""Judging facts: the rules, and how policy and waivers turn findings into a verdict."""
