"""`netplan recommend`: the cheapest machine types for a bandwidth."""
