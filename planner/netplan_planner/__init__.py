"""netplan: an advisory linter and planner for Compute Engine networking."""

from netplan_planner import later

later.install()
