"""Resources of the Compute API: their JSON, and the values of it."""
