"""Build, compare and check price snapshots."""
