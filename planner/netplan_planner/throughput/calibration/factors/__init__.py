"""Predictions with what probes taught laid on them."""
