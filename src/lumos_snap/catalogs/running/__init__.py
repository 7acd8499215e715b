"""Carrying out a plan: order, pace, retries, journal, reading back; alike for all catalogs."""
