"""Bytes from one place to others: ways, relays and machines at least cost or in least time."""
