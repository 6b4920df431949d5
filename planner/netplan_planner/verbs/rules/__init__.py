"""`netplan rules`: what each rule looks for, why, and what it needs."""
