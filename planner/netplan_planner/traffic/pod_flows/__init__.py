"""Traffic of a cluster's pods."""
