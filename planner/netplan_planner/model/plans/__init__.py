"""What can become of it: plans, steps, commitments."""
