"""What the sending machine may send."""
