"""What a project holds: machines, networks, clusters."""
