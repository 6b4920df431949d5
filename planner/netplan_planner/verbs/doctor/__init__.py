"""`netplan doctor`: what stands in the way, and which role is enough."""
