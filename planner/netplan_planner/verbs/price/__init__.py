"""Look up a price."""
