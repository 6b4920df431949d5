"""`netplan predict`: the throughput of one path, or of a table of paths."""
