"""Sync: plan the changes from base, tree and catalog as a pure function, and execute them."""
