"""`netplan audit`: findings of a project, what they cost, and what to do first."""
