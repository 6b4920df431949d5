"""Transactions per second of a service over a path."""
