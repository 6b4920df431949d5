"""Tables of paths: their columns, what cells say, and how they are read."""
