"""`netplan baseline`: today's findings written down as accepted."""
