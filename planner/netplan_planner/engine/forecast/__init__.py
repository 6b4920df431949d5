"""What traffic becomes: senders against their caps, lanes against their prices."""
