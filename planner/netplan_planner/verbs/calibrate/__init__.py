"""Fit the model to measurements, and say what they taught."""
