"""Which address two machines use to reach each other."""
