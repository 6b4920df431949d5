"""`netplan caps`: what a machine type may send, with source and date."""
