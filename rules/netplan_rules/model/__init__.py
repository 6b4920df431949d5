"""The prediction against what was measured."""
