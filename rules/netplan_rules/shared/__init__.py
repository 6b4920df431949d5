"""What rules of several areas ask: of flows, machines, moves, and how sure something is."""
