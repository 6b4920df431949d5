"""Cloud NAT, VPN, load balancers and other gateways."""
