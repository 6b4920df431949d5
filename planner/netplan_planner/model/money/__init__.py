"""What it costs: prices, snapshots of them, and bills."""
