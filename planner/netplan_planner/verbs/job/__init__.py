"""`netplan job`: the cheapest machines for a job that ends, by type and count."""
