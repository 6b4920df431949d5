"""What traffic becomes: senders against their caps, paths against their prices."""
