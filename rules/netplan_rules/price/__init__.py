"""Price hygiene."""
