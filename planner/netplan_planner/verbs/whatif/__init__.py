"""Changes that somebody thinks of, made to a copy of the facts; what they come to."""
