"""`netplan transfer`: what is asked, the tables of other people's networks, the plan."""
