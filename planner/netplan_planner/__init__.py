"""netplan: an advisory linter and planner for Compute Engine networking."""
