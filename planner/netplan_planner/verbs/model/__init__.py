"""How good the throughput model is."""
