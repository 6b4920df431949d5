"""What probes teach, and what it changes in a prediction."""
