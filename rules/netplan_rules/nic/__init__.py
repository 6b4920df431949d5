"""Network interface, MTU and guest."""
