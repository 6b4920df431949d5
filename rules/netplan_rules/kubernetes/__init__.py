"""Rules on clusters: pods, their networks, databases in them."""
