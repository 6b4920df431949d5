"""`netplan diff`: findings, money and Gbit/s of two reports or inputs, or of a Terraform plan."""
