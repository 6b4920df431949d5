"""Where the two ends stand."""
