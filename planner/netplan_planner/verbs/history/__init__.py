"""`netplan history`: money, traffic and findings over runs, and what changed when."""
