"""NAT, VPN, load balancers and routes: what stands between machines and what they reach."""
