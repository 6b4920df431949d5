"""Say what flow logs cost, and which settings cost less."""
