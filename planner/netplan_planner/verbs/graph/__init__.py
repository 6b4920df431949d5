"""`netplan graph`: who sends how much to whom."""
